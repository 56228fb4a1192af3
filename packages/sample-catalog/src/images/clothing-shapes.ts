import { box, type Draw, ellipse, polygon } from "./draw.ts";

export const clothingShapes = {
  jacket({ random, body, trim, line }: Draw) {
    const hem = random.between(310, 345);
    const collar = random.between(60, 85);
    return [
      body(
        `M150 90L90 115L40 ${hem - 40}L85 ${hem - 25}L115 190V${hem}H285V190L315 ${hem - 25}L360 ${hem - 40}L310 115L250 90Z`,
      ),
      trim(`M150 90Q200 ${collar} 250 90L232 125H168Z`),
      line(`M200 122V${hem}`, 6),
      line(`M135 ${hem - 70}L165 ${hem - 30}M265 ${hem - 70}L235 ${hem - 30}`, 6),
      trim(box(113, hem - 16, 174, 18, 4)),
    ];
  },
  "rain-jacket"({ random, body, trim, dark, line }: Draw) {
    const hem = random.between(322, 350);
    const hood = random.between(22, 36);
    return [
      body(
        `M148 104L92 126L44 ${hem - 58}L88 ${hem - 44}L116 200L108 ${hem}H292L284 200L312 ${hem - 44}L356 ${hem - 58}L308 126L252 104Z`,
      ),
      // The hood is up, and empty.
      body(`M140 124C118 ${hood} 282 ${hood} 260 124Q200 152 140 124Z`),
      dark(`M164 116C158 ${hood + 34} 242 ${hood + 34} 236 116Q200 132 164 116Z`),
      line(`M200 136V${hem}`, 6),
      line("M182 134V176M218 134V176", 4),
      trim(`M130 ${hem - 92}H180V${hem - 76}H130ZM220 ${hem - 92}H270V${hem - 76}H220Z`),
      line(`M134 ${hem - 76}V${hem - 34}H176V${hem - 76}M224 ${hem - 76}V${hem - 34}H266V${hem - 76}`, 3),
      trim(
        `M48 ${hem - 70}L94 ${hem - 56}L88 ${hem - 44}L44 ${hem - 58}ZM352 ${hem - 70}L306 ${hem - 56}L312 ${hem - 44}L356 ${hem - 58}Z`,
      ),
    ];
  },
  tshirt({ random, body, trim, line }: Draw) {
    const sleeve = random.between(165, 205);
    const print = random.integer(0, 3);
    const prints = [
      [],
      [trim(ellipse(200, 215, 34))],
      [trim(box(118, 200, 164, 26))],
      [line("M165 230L200 180L235 230Z", 9)],
    ];
    return [
      body(
        `M145 90L55 130L80 ${sleeve}L120 ${sleeve - 15}V330H280V${sleeve - 15}L320 ${sleeve}L345 130L255 90Q200 ${random.integer(118, 140)} 145 90Z`,
      ),
      ...(prints[print] ?? []),
    ];
  },
  "running-shirt"({ random, body, trim, dark, painted, line }: Draw) {
    const sleeve = random.between(160, 186);
    const low = sleeve - 15;
    return [
      body(
        `M145 90L55 130L80 ${sleeve}L120 ${low}V330H280V${low}L320 ${sleeve}L345 130L255 90Q200 128 145 90Z`,
      ),
      // Sleeves and sides of another colour, as sports shirts have them.
      trim(`M150 88L55 130L80 ${sleeve}L122 ${low}ZM250 88L345 130L320 ${sleeve}L278 ${low}Z`),
      trim(`M120 ${low}V330H140C150 280 128 220 120 ${low}ZM280 ${low}V330H260C250 280 272 220 280 ${low}Z`),
      // The number of a race, held by four pins.
      painted(box(154, 196, 92, 72, 3), "#fdfdfb"),
      dark([160, 240].flatMap((x) => [202, 262].map((y) => ellipse(x, y, 2.5))).join("")),
      line(random.pick(digits), 8),
    ];
  },
  dress({ random, body, trim, line }: Draw) {
    const waist = random.between(165, 195);
    const flare = random.between(70, 120);
    return [
      line("M160 60L158 100M240 60L242 100", 8),
      body(`M155 95Q200 120 245 95L238 ${waist}L${200 + flare} 350H${200 - flare}L162 ${waist}Z`),
      trim(box(160, waist - 8, 80, 16, 6)),
      line(`M185 ${waist + 30}L165 345M215 ${waist + 30}L235 345`, 3),
    ];
  },
  hat({ random, body, trim, line, dark }: Draw) {
    const top = random.between(104, 130);
    const rim = random.between(292, 306);
    const wide = random.between(136, 150);
    const seams = [0.3, 0.55, 0.8].map((at) => {
      const y = 228 + at * (rim - 228);
      const half = 74 + at * (wide - 74);
      return `M${200 - half} ${y + 2}Q200 ${y + 42} ${200 + half} ${y + 2}`;
    });
    return [
      body(`M126 232L140 ${top + 26}Q145 ${top + 4} 172 ${top}H228Q255 ${top + 4} 260 ${top + 26}L274 232Z`),
      line(`M141 ${top + 22}Q200 ${top + 46} 259 ${top + 22}`, 2.5),
      dark(ellipse(152, 174, 5) + ellipse(150, 192, 5)),
      // The brim slopes down all around, from a kink under the crown.
      body(
        `M126 228Q200 252 274 228L${200 + wide} ${rim}Q${204 + wide} ${rim + 10} ${194 + wide} ${rim + 13}Q200 ${rim + 54} ${206 - wide} ${rim + 13}Q${196 - wide} ${rim + 10} ${200 - wide} ${rim}Z`,
      ),
      trim(`M129 206Q200 230 271 206L274 230Q200 254 126 230Z`),
      line(seams.join(""), 2.5),
    ];
  },
  beanie({ random, body, trim }: Draw) {
    const height = random.between(90, 130);
    return [
      ...(random.chance(0.5) ? [trim(ellipse(200, height - 5, random.between(22, 36)))] : []),
      body(`M100 260C100 ${height} 160 ${height} 200 ${height}S300 ${height} 300 260Z`),
      trim(box(88, 245, 224, random.between(45, 70), 16)),
    ];
  },
  scarf({ random, body, trim, dark, line }: Draw) {
    const end = random.between(318, 342);
    const stripes = random.integer(1, 4);
    const left = (y: number) => 168 - (y - 190) * 0.34;
    const right = (y: number) => 176 + (y - 190) * 0.3;
    const band = (x: (y: number) => number, y: number) =>
      trim(polygon([x(y), y], [x(y) + 68, y + 4], [x(y + 14) + 68, y + 18], [x(y + 14), y + 14]));
    const fringe = (x: (y: number) => number, y: number) =>
      [4, 16, 28, 40, 52, 64].map((at) => `M${x(y) + at} ${y + 3}v20`).join("");
    const bands = Array.from({ length: stripes }, (_, at) => at * 26 + 22);
    return [
      // Around a neck: the far side, the hole, the near side and two ends.
      body(ellipse(200, 118, 104, 56)),
      dark(ellipse(200, 102, 66, 27)),
      body(
        polygon(
          [right(190), 180],
          [right(190) + 68, 180],
          [right(end - 20) + 68, end - 16],
          [right(end - 20), end - 20],
        ),
      ),
      ...bands.map((at) => band(right, end - 24 - at)),
      body(polygon([left(190), 176], [left(190) + 72, 176], [left(end) + 68, end + 4], [left(end), end])),
      ...bands.map((at) => band(left, end - 4 - at)),
      line(fringe(left, end) + fringe(right, end - 20), 4),
      body(`M96 112C104 178 152 206 206 202C262 200 298 168 304 112C286 150 248 160 200 160S114 148 96 112Z`),
      body(box(160, 158, 72, 50, 20)),
    ];
  },
};

/** Numbers drawn by lines, to be pinned on a running shirt. */
const digits = [
  "M180 214L168 242H188M182 232V254M208 222Q222 206 228 222Q228 234 206 254H230",
  "M172 216H190L178 254M210 214V254M204 220L210 214",
  "M170 222Q182 206 190 222Q188 236 170 254H192M210 216H228L214 254",
] as const;
