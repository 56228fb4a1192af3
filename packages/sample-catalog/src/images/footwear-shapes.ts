import { box, type Draw } from "./draw.ts";

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
