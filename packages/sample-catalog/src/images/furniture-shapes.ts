import { box, type Draw, ellipse, polygon } from "./draw.ts";

export const furnitureShapes = {
  "office-chair"({ random, body, trim, line }: Draw) {
    const back = random.between(55, 85);
    return [
      body(box(135, back, 130, 150, random.between(18, 50))),
      body(box(115, 215, 170, 40, 18)),
      line("M110 150V210M290 150V210M95 150H125M275 150H305", 10),
      line("M200 255V315M200 315L120 345M200 315L280 345M200 315V350", 11),
      trim(ellipse(120, 352, 10)),
      trim(ellipse(280, 352, 10)),
      trim(ellipse(200, 358, 10)),
    ];
  },
  chair({ random, body, bodyLine }: Draw) {
    const back = random.between(60, 95);
    const slats = random.integer(2, 4);
    const rails = Array.from({ length: slats }, (_, at) =>
      body(box(128, back + at * (120 / slats), 144, random.between(12, 24), 6)),
    );
    return [
      bodyLine(`M130 ${back}V350M270 ${back}V350M110 225V352M290 225V352`, random.integer(11, 16)),
      ...rails,
      body(box(102, 212, 196, 26, 10)),
    ];
  },
  armchair({ random, body, trim, line }: Draw) {
    const arm = random.between(185, 215);
    return [
      line("M110 320L100 360M290 320L300 360", 12),
      body(box(105, random.between(75, 105), 190, 200, random.between(25, 70))),
      trim(box(120, 215, 160, 60, 22)),
      body(box(65, arm, 60, 330 - arm, 26)),
      body(box(275, arm, 60, 330 - arm, 26)),
      body(box(95, 265, 210, 60, 10)),
    ];
  },
  stool({ random, body, bodyLine }: Draw) {
    const seat = random.between(85, 150);
    const spread = random.between(60, 95);
    return [
      bodyLine(
        `M165 ${seat}L${200 - spread} 360M235 ${seat}L${200 + spread} 360M${200 - spread * 0.75} 290H${200 + spread * 0.75}`,
        random.integer(9, 14),
      ),
      body(random.chance(0.5) ? ellipse(200, seat, 92, 24) : box(118, seat - 24, 164, 36, 12)),
    ];
  },
  "coffee-table"({ random, body, bodyLine, trim, dark, line }: Draw) {
    const top = random.between(206, 222);
    const edge = top + random.between(46, 56);
    const leg = random.integer(11, 15);
    return [
      bodyLine(`M104 ${top + 20}V314M296 ${top + 20}V314`, leg),
      // The shelf, then the front legs, then the top with books and a cup.
      trim(polygon([100, 296], [300, 296], [334, 322], [66, 322])),
      bodyLine(`M58 ${edge + 8}V352M342 ${edge + 8}V352`, leg),
      body(polygon([92, top], [308, top], [372, edge], [28, edge])),
      body(box(28, edge, 344, random.between(13, 20), 4)),
      trim(polygon([122, top + 16], [196, top + 16], [188, top + 34], [110, top + 34])),
      dark(box(110, top + 34, 78, 6)),
      trim(box(244, top - 14, 38, 34, 6)),
      line(`M282 ${top - 8}c18 -2 18 20 0 20`, 5),
    ];
  },
  desk({ random, body, bodyLine, trim, dark, line }: Draw) {
    const top = random.between(176, 192);
    const drawers = random.integer(2, 4);
    const height = (338 - top - 24) / drawers;
    const fronts = Array.from({ length: drawers }, (_, at) => top + 28 + at * height);
    return [
      bodyLine(`M58 ${top + 16}V352M226 ${top + 16}V352`, random.integer(11, 15)),
      body(box(236, top + 16, 118, 336 - top, 4)),
      ...fronts.flatMap((y) => [
        trim(box(246, y, 98, height - 8, 4)),
        dark(box(280, y + height / 2 - 8, 30, 7, 3)),
      ]),
      trim(box(70, top + 18, 146, 30, 3)),
      dark(box(128, top + 30, 30, 7, 3)),
      body(box(36, top, 328, 20, 4)),
      // What stands on it: a screen and a lamp.
      dark(box(84, top - 104, 124, 78, 6)),
      line(`M146 ${top - 26}V${top - 4}M112 ${top - 4}H180`, 8),
      line(`M290 ${top - 4}H330M310 ${top - 4}L330 ${top - 62}L292 ${top - 100}`, 6),
      trim(polygon([302, top - 112], [280, top - 88], [252, top - 84], [290, top - 126])),
    ];
  },
  sofa({ random, body, trim, line }: Draw) {
    const back = random.between(135, 165);
    const radius = random.between(10, 40);
    return [
      line("M75 315V345M325 315V345", 13),
      body(box(50, back, 300, 150, radius)),
      trim(box(85, 215, 113, 50, 16)),
      trim(box(202, 215, 113, 50, 16)),
      body(box(28, 195, 62, 130, 24)),
      body(box(310, 195, 62, 130, 24)),
      body(box(60, 260, 280, 58, 8)),
    ];
  },
  rug({ random, body, trim, line }: Draw) {
    const motif = random.integer(0, 3);
    const motifs = [
      [trim(ellipse(200, 200, 90, 60))],
      [trim(polygon([200, 110], [310, 200], [200, 290], [90, 200]))],
      [trim(box(70, 130, 260, 24)), trim(box(70, 188, 260, 24)), trim(box(70, 246, 260, 24))],
      [trim(box(90, 125, 220, 150)), body(box(115, 145, 170, 110))],
    ];
    return [
      line(
        "M45 115H30M45 145H30M45 175H30M45 205H30M45 235H30M45 265H30M355 115H370M355 145H370M355 175H370M355 205H370M355 235H370M355 265H370",
        4,
      ),
      body(box(45, 95, 310, 210, 6)),
      ...(motifs[motif] ?? []),
    ];
  },
  cushion({ random, body, trim, line }: Draw) {
    const bulge = random.between(10, 35);
    const stripes = random.integer(0, 5);
    const bands = Array.from({ length: stripes }, (_, at) =>
      trim(box(100 + (at * 200) / stripes, 100, 60 / stripes + 8, 200, 3)),
    );
    return [
      body(
        `M80 80Q200 ${80 + bulge} 320 80Q${320 - bulge} 200 320 320Q200 ${320 - bulge} 80 320Q${80 + bulge} 200 80 80Z`,
      ),
      ...bands,
      line(`M90 90Q200 ${90 + bulge} 310 90`, 2),
    ];
  },
};
