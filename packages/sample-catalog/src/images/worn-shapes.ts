import { box, type Draw, ellipse, polygon } from "./draw.ts";

export const wornShapes = {
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
  boot({ random, body, trim, line }: Draw) {
    const shaft = random.between(70, 130);
    const heel = random.between(300, 318);
    return [
      body(`M110 ${shaft}H212V205C240 235 320 225 335 300H104C112 240 118 170 110 ${shaft}Z`),
      trim(box(106, shaft - 8, 112, 22, 8)),
      trim(`M100 298H340V318H170L165 ${heel + 26}H104Z`),
      line(
        `M205 ${shaft + 40}L160 ${shaft + 52}M206 ${shaft + 66}L160 ${shaft + 78}M210 ${shaft + 92}L165 ${shaft + 104}`,
        random.integer(4, 8),
      ),
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
  tote({ random, body, trim, bodyLine }: Draw) {
    const top = random.between(155, 190);
    const flare = random.between(0, 30);
    const reach = random.between(60, 110);
    return [
      bodyLine(
        `M145 ${top + 10}C145 ${top - reach} 255 ${top - reach} 255 ${top + 10}`,
        random.integer(8, 14),
      ),
      body(polygon([95 - flare, top], [305 + flare, top], [295, 340], [105, 340])),
      trim(
        random.chance(0.5)
          ? box(160, 230, 80, 60, 6)
          : polygon([93 - flare, top], [307 + flare, top], [305 + flare, top + 24], [95 - flare, top + 24]),
      ),
    ];
  },
  satchel({ random, body, trim, bodyLine, line }: Draw) {
    const top = random.between(170, 195);
    const radius = random.between(10, 60);
    return [
      bodyLine(`M85 ${top + 30}C60 40 340 40 315 ${top + 30}`, random.integer(7, 12)),
      body(box(70, top, 260, 150, radius)),
      trim(
        `M70 ${top + radius}Q70 ${top} 120 ${top}H280Q330 ${top} 330 ${top + radius}L300 ${top + random.between(70, 105)}H100Z`,
      ),
      line(`M200 ${top + 70}V${top + 112}`, 14),
    ];
  },
  backpack({ random, body, trim, line }: Draw) {
    const shoulder = random.between(40, 90);
    const pocket = random.between(215, 245);
    return [
      line("M165 95C165 55 235 55 235 95", 12),
      body(box(100, 85, 200, 255, shoulder)),
      trim(box(120, pocket, 160, 338 - pocket, random.between(10, 35))),
      line(`M125 ${pocket - 40}H275`, 6),
      trim(box(84, 230, 24, 90, 12)),
      trim(box(292, 230, 24, 90, 12)),
    ];
  },
  duffel({ random, body, trim, bodyLine, line }: Draw) {
    const top = random.between(185, 205);
    return [
      bodyLine(`M140 ${top + 20}C140 90 260 90 260 ${top + 20}`, 11),
      body(box(45, top, 310, 130, random.between(30, 65))),
      trim(box(115, top, 26, 130)),
      trim(box(259, top, 26, 130)),
      line(`M70 ${top + 22}H330`, random.integer(4, 7)),
    ];
  },
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
  hat({ random, body, trim }: Draw) {
    const crown = random.between(120, 160);
    const brim = random.between(130, 165);
    return [
      body(`M130 250L145 ${crown}Q200 ${crown - 25} 255 ${crown}L270 250Z`),
      body(`M${200 - brim} 290Q200 200 ${200 + brim} 290Q200 ${random.integer(255, 285)} ${200 - brim} 290Z`),
      trim(`M132 238Q200 222 268 238L270 258Q200 240 130 258Z`),
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
  scarf({ random, body, trim, line }: Draw) {
    const end = random.between(310, 345);
    return [
      body(`M110 110C160 70 240 70 290 110C300 160 240 185 200 185S100 160 110 110Z`),
      body(polygon([150, 165], [215, 175], [190, end], [115, end - 8])),
      body(polygon([205, 175], [262, 160], [290, end - 25], [220, end - 15])),
      trim(polygon([121, end - 45], [196, end - 38], [190, end], [115, end - 8])),
      line(`M125 ${end}v18M145 ${end}v18M165 ${end}v18M183 ${end}v18`, 4),
    ];
  },
  sunglasses({ random, trim, dark, bodyLine }: Draw) {
    const round = random.between(12, 55);
    const height = random.between(85, 115);
    const left = box(60, 160, 125, height, round);
    const right = box(215, 160, 125, height, round);
    return [
      bodyLine("M62 180L30 150M338 180L370 150", 12),
      (random.chance(0.7) ? dark : trim)(left),
      (random.chance(0.7) ? dark : trim)(right),
      bodyLine(`${left}${right}M185 185Q200 170 215 185`, random.integer(9, 16)),
    ];
  },
};
