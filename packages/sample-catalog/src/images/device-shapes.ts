import { box, type Draw, ellipse } from "./draw.ts";

export const deviceShapes = {
  watch({ random, body, trim, dark, line }: Draw) {
    const radius = random.between(68, 88);
    const subdials = random.chance(0.5)
      ? [ellipse(172, 215, 15), ellipse(228, 215, 15)].map((path) => line(path, 4))
      : [];
    return [
      trim(box(165, 40, 70, 320, 18)),
      body(ellipse(200, 200, radius)),
      (random.chance(0.5) ? dark : trim)(ellipse(200, 200, radius - 13)),
      ...subdials,
      line(
        `M200 200L200 ${200 - radius + 26}M200 200L${200 + random.between(-40, 40)} ${200 + random.between(-20, 35)}`,
        6,
      ),
      body(box(200 + radius - 2, 190, 16, 20, 4)),
    ];
  },
  smartwatch({ random, body, trim, dark, line }: Draw) {
    const radius = random.between(20, 40);
    const level = random.between(150, 210);
    return [
      trim(box(158, 40, 84, 320, 26)),
      body(box(118, 118, 164, 164, radius)),
      dark(box(132, 132, 136, 136, radius - 8)),
      line(`M150 ${level}h24l14 -24l20 46l16 -34l10 12h18`, 6),
    ];
  },
  sunglasses({ random, trim, dark, bodyLine }: Draw) {
    const round = random.between(12, 55);
    const height = random.between(85, 115);
    const left = box(60, 160, 125, height, round);
    const right = box(215, 160, 125, height, round);
    const lens = random.chance(0.7) ? dark : trim;
    return [
      bodyLine("M62 180L30 150M338 180L370 150", 12),
      lens(left),
      lens(right),
      bodyLine(`${left}${right}M185 185Q200 170 215 185`, random.integer(9, 16)),
    ];
  },
  headphones({ random, body, trim, bodyLine, dark }: Draw) {
    const cup = random.between(34, 48);
    const long = random.between(55, 72);
    return [
      bodyLine("M95 240C85 40 315 40 305 240", random.integer(14, 24)),
      body(ellipse(100, 265, cup, long)),
      body(ellipse(300, 265, cup, long)),
      dark(ellipse(112, 265, cup * 0.55, long * 0.75)),
      dark(ellipse(288, 265, cup * 0.55, long * 0.75)),
      trim(box(88, 200, 24, 16, 5)),
      trim(box(288, 200, 24, 16, 5)),
    ];
  },
  speaker({ random, body, dark, trim }: Draw) {
    const tall = random.chance(0.5);
    const radius = random.between(12, 60);
    return tall
      ? [
          body(box(115, 60, 170, 290, radius)),
          dark(ellipse(200, 245, random.between(55, 70))),
          dark(ellipse(200, 130, random.between(26, 38))),
          trim(ellipse(200, 245, 20)),
        ]
      : [
          body(box(45, 140, 310, 160, radius)),
          dark(ellipse(125, 220, random.between(45, 58))),
          dark(ellipse(275, 220, random.between(45, 58))),
          trim(box(180, 160, 40, 12, 6)),
        ];
  },
  keyboard({ random, body, trim, dark }: Draw) {
    const top = random.between(145, 165);
    const keys = [0, 1, 2, 3].flatMap((row) =>
      Array.from({ length: 12 }, (_, at) =>
        (random.chance(0.12) ? dark : trim)(box(44 + at * 26.5, top + 16 + row * 28, 22, 22, 4)),
      ),
    );
    return [
      body(box(30, top, 340, 160, random.between(6, 22))),
      ...keys,
      trim(box(115, top + 130, 170, 20, 4)),
    ];
  },
  bicycle({ random, bodyLine, line, dark }: Draw) {
    const wheel = random.between(68, 80);
    const bar = random.between(135, 160);
    return [
      line(ellipse(105, 265, wheel) + ellipse(295, 265, wheel), random.integer(7, 12)),
      bodyLine(
        `M105 265L160 ${bar + 20}L260 ${bar + random.between(-5, 40)}L195 265ZM160 ${bar + 20}L195 265M260 ${bar}L295 265M150 ${bar - 10}L160 ${bar + 20}`,
        random.integer(9, 14),
      ),
      dark(box(125, bar - 24, 60, 16, 8)),
      line(`M260 ${bar + 5}L250 ${bar - 35}H${random.integer(280, 300)}`, 9),
    ];
  },
  guitar({ random, body, trim, dark, line }: Draw) {
    const lower = random.between(72, 90);
    const waist = random.between(48, 58);
    return [
      trim(box(188, 30, 24, 190, 4)),
      trim(box(180, 18, 40, 42, 7)),
      body(
        `M200 165C${200 - lower * 0.85} 165 ${200 - lower * 0.85} 215 ${200 - waist} 240C${200 - lower * 1.2} 270 ${200 - lower} 365 200 365S${200 + lower * 1.2} 270 ${200 + waist} 240C${200 + lower * 0.85} 215 ${200 + lower * 0.85} 165 200 165Z`,
      ),
      dark(ellipse(200, 240, random.between(20, 27))),
      line("M194 40V318M200 40V318M206 40V318", 1.5),
      trim(box(170, 314, 60, 12, 3)),
    ];
  },
};
