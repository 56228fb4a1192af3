import { box, type Draw, ellipse, polygon } from "./draw.ts";

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

export const footwearShapes = {
  sneaker({ random, body, trim, dark, line }: Draw) {
    const heel = random.between(196, 214);
    const toe = random.between(236, 248);
    const stripes = random.integer(0, 4);
    const marks = Array.from({ length: stripes }, (_, at) =>
      line(`M${148 + at * 22} 284L${174 + at * 22} ${heel + 42 + at * 7}`, 7),
    );
    const laces = [0, 1, 2, 3].map(
      (at) => `M${186 + at * 24} ${heel + 4 + at * 13}L${206 + at * 24} ${heel - 12 + at * 12}`,
    );
    return [
      // The opening is low and in front of the heel: higher, it would be an ankle boot.
      dark(`M92 ${heel + 4}Q140 ${heel - 12} 188 ${heel - 6}L168 ${heel + 30}H104Z`),
      body(
        `M58 292C52 262 54 ${heel + 22} 62 ${heel - 6}C72 ${heel - 16} 88 ${heel - 12} 94 ${heel + 4}C104 ${heel + 30} 148 ${heel + 32} 170 ${heel + 14}L190 ${heel - 16}Q204 ${heel - 24} 214 ${heel - 12}C240 ${heel + 18} 272 ${toe - 8} 308 ${toe}C342 ${toe + 8} 360 ${toe + 28} 358 292Z`,
      ),
      ...marks,
      line(laces.join(""), 5),
      trim(
        `M46 286C140 296 260 296 362 284C376 298 370 ${random.integer(316, 326)} 348 ${random.integer(318, 326)}C280 324 130 334 66 326C46 320 40 300 46 286Z`,
      ),
      line("M84 330H126M146 331H188M208 330H250M270 327H312", 4),
    ];
  },
  "hiking-boot"({ random, body, trim, dark, line }: Draw) {
    const shaft = random.between(76, 112);
    const lugs = Array.from({ length: 9 }, (_, at) => dark(box(98 + at * 28, 320, 19, 17, 3)));
    const eyes = [0, 1, 2, 3].map((at) => shaft + 34 + at * ((182 - shaft) / 4));
    const laces = eyes.map(
      (y) => `M${226 + (y - shaft) * 0.16} ${y}L176 ${y + 10}L${228 + (y - shaft) * 0.16} ${y + 20}`,
    );
    return [
      ...lugs,
      body(
        `M116 ${shaft}H222L226 178C250 212 302 210 330 244Q346 268 344 300H100C96 250 114 180 116 ${shaft}Z`,
      ),
      trim(`M292 218Q346 240 344 300H272C268 262 276 236 292 218Z`),
      trim(`M100 300C98 272 102 250 108 226L150 240L146 300Z`),
      trim(box(108, shaft - 12, 122, 28, 13)),
      line(laces.join(""), random.integer(5, 7)),
      trim(box(90, 296, 264, 28, 8)),
    ];
  },
  "ankle-boot"({ random, body, trim, dark, line }: Draw) {
    const shaft = random.between(112, 140);
    const heel = random.between(346, 360);
    const ribs = [0, 1, 2, 3, 4].map((at) => `M${170 + at * 9} ${shaft + 20}L${176 + at * 6} 222`);
    return [
      line(`M124 ${shaft + 12}C112 ${shaft - 26} 142 ${shaft - 26} 140 ${shaft + 6}`, 7),
      dark(`M120 304H176L170 ${heel}H122Z`),
      body(
        `M126 ${shaft}Q176 ${shaft - 12} 226 ${shaft}L224 200C246 236 312 244 342 286Q350 300 346 308H118C112 250 132 190 126 ${shaft}Z`,
      ),
      // The elastic gusset over the ankle.
      trim(`M162 ${shaft + 8}L214 ${shaft + 8}L206 216Q190 240 174 216Z`),
      line(ribs.join(""), 3),
      dark(`M116 304H352Q352 318 340 318H116Z`),
    ];
  },
  sandal({ random, body, trim, bodyLine, dark }: Draw) {
    const straps = random.integer(2, 4);
    const width = random.integer(16, 24);
    // Seen from above: a foot's outline, with straps across it.
    const bands = Array.from({ length: straps }, (_, at) => {
      const y = 120 + (at * 110) / straps;
      return bodyLine(`M${128 - at * 2} ${y + 26}Q200 ${y - 18} ${272 - at * 8} ${y + 22}`, width);
    });
    return [
      trim(
        `M196 48C250 42 286 84 284 140C282 190 262 220 262 270C262 320 244 354 204 356C164 358 146 324 146 276C146 226 118 196 116 144C114 92 144 52 196 48Z`,
      ),
      dark(
        `M196 66C238 62 266 96 264 140C262 186 244 218 244 268C244 310 232 336 204 338C176 340 164 314 164 276C164 224 136 190 136 144C136 100 160 68 196 66Z`,
      ),
      ...bands,
      bodyLine(`M150 290Q204 ${random.integer(262, 272)} 258 286`, 14),
      body(box(246, 272, 22, 22, 5)),
    ];
  },
};

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
