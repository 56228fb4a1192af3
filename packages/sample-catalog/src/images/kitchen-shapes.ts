import { box, type Draw, ellipse, polygon } from "./draw.ts";

export const kitchenShapes = {
  mug({ random, body, bodyLine, trim }: Draw) {
    const height = random.between(120, 190);
    const width = random.between(75, 95);
    const top = 320 - height;
    const taper = random.between(0, 22);
    return [
      bodyLine(
        `M${180 + width} ${top + 30}C${265 + width} ${top + 20} ${265 + width} ${top + height - 20} ${176 + width - taper} ${top + height - 40}`,
        random.integer(14, 22),
      ),
      body(
        polygon(
          [180 - width, top],
          [180 + width, top],
          [180 + width - taper, 320],
          [180 - width + taper, 320],
        ),
      ),
      trim(ellipse(180, top, width, 16)),
      ...(random.chance(0.5)
        ? [
            trim(
              polygon(
                [180 - width + taper * 0.5, 250],
                [180 + width - taper * 0.5, 250],
                [180 + width - taper * 0.6, 270],
                [180 - width + taper * 0.6, 270],
              ),
            ),
          ]
        : []),
    ];
  },
  "espresso-cup"({ random, body, bodyLine, trim, dark, line }: Draw) {
    const rim = random.between(178, 204);
    const half = random.between(70, 82);
    const steam = [-26, 0, 26].map((at) => `M${196 + at} ${rim - 34}c-16 -18 16 -32 0 -54s12 -26 2 -40`);
    return [
      // Small, on a saucer with a spoon, and full.
      trim(ellipse(196, 322, 146, 24)),
      body(ellipse(196, 315, 92, 13)),
      bodyLine(
        `M${194 + half} ${rim + 16}C${252 + half} ${rim + 6} ${246 + half} ${rim + 74} ${178 + half} ${rim + 72}`,
        random.integer(11, 15),
      ),
      body(
        `M${196 - half} ${rim}H${196 + half}C${196 + half} ${rim + 70} ${236 + half * 0.2} 312 228 314H164C${156 - half * 0.2} 312 ${196 - half} ${rim + 70} ${196 - half} ${rim}Z`,
      ),
      body(ellipse(196, rim, half, 17)),
      dark(ellipse(196, rim + 2, half - 9, 12)),
      line("M92 306L60 318", 5),
      line(ellipse(52, 321, 10, 5), 5),
      line(steam.join(""), 4),
    ];
  },
  "travel-mug"({ random, body, trim }: Draw) {
    const top = random.between(90, 120);
    const width = random.between(55, 72);
    return [
      body(
        polygon([200 - width, top], [200 + width, top], [200 + width * 0.75, 350], [200 - width * 0.75, 350]),
      ),
      trim(box(200 - width - 6, top - 34, 2 * width + 12, 38, 10)),
      trim(
        polygon(
          [200 - width * 0.93, 190],
          [200 + width * 0.93, 190],
          [200 + width * 0.85, 260],
          [200 - width * 0.85, 260],
        ),
      ),
    ];
  },
  kettle({ random, body, trim, dark, painted, line }: Draw) {
    const top = random.between(104, 124);
    const level = random.between(200, 240);
    return [
      // A base with a cable: it is electric.
      line("M276 346C330 330 330 366 386 350", 6),
      dark(box(98, 334, 204, 22, 9)),
      line(`M256 ${top + 22}C${random.integer(334, 352)} ${top + 6} 350 292 286 300`, 22),
      body(`M146 ${top + 6}L92 ${top - 2}Q98 ${top + 44} 134 ${top + 66}Z`),
      body(`M144 ${top}H258C264 200 290 270 292 334H108C110 270 138 200 144 ${top}Z`),
      trim(`M140 ${top + 4}Q200 ${top - 46} 262 ${top + 4}Z`),
      dark(box(182, top - 36, 38, 16, 8)),
      // The window that shows how much water is in it.
      dark(box(186, 176, 30, 126, 14)),
      painted(box(191, level, 20, 296 - level, 8), "#8ec5ea"),
      line("M222 200H236M222 226H236M222 252H236M222 278H236", 3),
      trim(box(284, 288, 26, 15, 5)),
    ];
  },
  teapot({ random, body, trim, bodyLine }: Draw) {
    const belly = random.between(85, 110);
    return [
      bodyLine(
        `M${190 + belly * 0.8} 190C${280 + belly} 170 ${270 + belly} 300 ${190 + belly * 0.8} 285`,
        15,
      ),
      body(`M${205 - belly} 260C110 260 80 220 50 165L78 158C100 195 120 205 ${215 - belly} 205Z`),
      body(ellipse(195, 245, belly, random.between(78, 92))),
      trim(`M150 172Q195 130 240 172Z`),
      trim(ellipse(195, 142, 13)),
    ];
  },
  bottle({ random, body, trim }: Draw) {
    const width = random.between(42, 62);
    const shoulder = random.between(130, 175);
    return [
      body(
        `M180 100V${shoulder - 25}Q${200 - width} ${shoulder - 10} ${200 - width} ${shoulder + 15}V345Q${200 - width} 360 ${215 - width} 360H${185 + width}Q${200 + width} 360 ${200 + width} 345V${shoulder + 15}Q${200 + width} ${shoulder - 10} 220 ${shoulder - 25}V100Z`,
      ),
      trim(box(172, 62, 56, 44, 8)),
      ...(random.chance(0.6)
        ? [trim(box(200 - width, random.between(220, 260), 2 * width, random.between(20, 60)))]
        : []),
    ];
  },
};
