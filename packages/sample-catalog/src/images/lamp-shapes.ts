import { box, type Draw, ellipse, polygon } from "./draw.ts";

export const lampShapes = {
  "desk-lamp"({ random, body, trim, bodyLine }: Draw) {
    const elbowX = random.between(90, 140);
    const elbowY = random.between(150, 200);
    const headY = random.between(80, 120);
    return [
      body(ellipse(180, 335, random.between(60, 85), 16)),
      bodyLine(`M180 330L${elbowX} ${elbowY}L240 ${headY}`, random.integer(8, 13)),
      trim(ellipse(elbowX, elbowY, 12)),
      body(
        polygon(
          [225, headY - 30],
          [265, headY - 14],
          [330, headY + 62],
          [225, headY + random.between(50, 80)],
        ),
      ),
    ];
  },
  "table-lamp"({ random, body, trim }: Draw) {
    const width = random.between(45, 85);
    const top = random.between(55, 85);
    return [
      body(
        `M200 180C${200 - width * 1.6} 230 ${200 - width} 320 ${200 - width * 0.7} 340H${200 + width * 0.7}C${200 + width} 320 ${200 + width * 1.6} 230 200 180Z`,
      ),
      trim(polygon([200 - top, 70], [200 + top, 70], [310, 195], [90, 195])),
    ];
  },
  "floor-lamp"({ random, body, trim, bodyLine }: Draw) {
    const legs = random.chance(0.4);
    const shade = random.between(55, 80);
    return [
      bodyLine(legs ? "M200 130L140 365M200 130L260 365M200 130V365" : "M200 130V360", legs ? 8 : 10),
      ...(legs ? [] : [body(ellipse(200, 362, random.between(45, 65), 11))]),
      trim(polygon([200 - shade * 0.6, 40], [200 + shade * 0.6, 40], [200 + shade, 132], [200 - shade, 132])),
    ];
  },
  pendant({ random, body, trim, line, dark, painted }: Draw) {
    const drop = random.between(116, 156);
    const width = random.between(104, 140);
    const foot = drop + 112;
    const rays = [-70, -36, 0, 36, 70].map((x) => {
      const [near, far] = [foot + 62 - Math.abs(x) * 0.3, foot + 96 - Math.abs(x) * 0.5];
      return polygon([196 + x, near], [204 + x, near], [205 + x * 1.4, far], [195 + x * 1.4, far]);
    });
    return [
      dark("M150 22H250Q248 44 200 44T150 22Z"),
      line(`M200 30V${drop}`, 6),
      // The bulb shines under the shade.
      painted(rays.join(""), "#ffd34d"),
      painted(ellipse(200, foot + 8, 36), "#ffd34d"),
      body(
        random.chance(0.5)
          ? `M${200 - width} ${foot}C${200 - width} ${drop + 20} 168 ${drop} 200 ${drop}S${200 + width} ${drop + 20} ${200 + width} ${foot}Z`
          : polygon([172, drop], [228, drop], [200 + width, foot], [200 - width, foot]),
      ),
      trim(box(182, drop - 20, 36, 28, 5)),
    ];
  },
};
