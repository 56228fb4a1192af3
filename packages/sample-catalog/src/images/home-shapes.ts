import { box, type Draw, ellipse, polygon } from "./draw.ts";

export const homeShapes = {
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
  pendant({ random, body, trim, line }: Draw) {
    const drop = random.between(110, 160);
    const width = random.between(90, 140);
    return [
      line(`M200 20V${drop}`, 5),
      trim(box(186, drop - 18, 28, 26, 5)),
      body(
        random.chance(0.5)
          ? `M${200 - width} ${drop + 130}C${200 - width} ${drop + 20} 170 ${drop} 200 ${drop}S${200 + width} ${drop + 20} ${200 + width} ${drop + 130}Z`
          : ellipse(200, drop + 90, width * 0.8, 88),
      ),
      trim(ellipse(200, drop + 150, 24)),
    ];
  },
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
  table({ random, body, bodyLine, trim }: Draw) {
    const top = random.between(160, 220);
    const width = random.between(125, 165);
    const inset = random.between(10, 40);
    return [
      bodyLine(
        `M${200 - width + inset} ${top}L${200 - width + inset - 8} 350M${200 + width - inset} ${top}L${200 + width - inset + 8} 350`,
        random.integer(10, 18),
      ),
      body(box(200 - width, top - 14, 2 * width, random.between(18, 34), random.between(0, 14))),
      ...(random.chance(0.5) ? [trim(box(200 - width * 0.5, top + 12, width, 38, 4))] : []),
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
  vase({ random, body, trim, line }: Draw) {
    const neck = random.between(18, 50);
    const belly = random.between(60, 110);
    const shoulder = random.between(180, 250);
    const stems = random.chance(0.4)
      ? [
          line("M190 120Q180 60 150 40M205 120Q215 70 240 35", 5),
          trim(ellipse(150, 38, 17)),
          trim(ellipse(242, 32, 17)),
        ]
      : [];
    return [
      ...stems,
      body(
        `M${200 - neck} 110C${200 - neck} 160 ${200 - belly} ${shoulder - 40} ${200 - belly} ${shoulder}S${200 - neck} 345 ${200 - neck} 345H${200 + neck}S${200 + belly} ${shoulder + 40} ${200 + belly} ${shoulder}S${200 + neck} 160 ${200 + neck} 110Z`,
      ),
      trim(ellipse(200, 110, neck, 9)),
    ];
  },
  "wall-clock"({ random, body, trim, line }: Draw) {
    const square = random.chance(0.35);
    const hours = Array.from({ length: 12 }, (_, hour) => {
      const angle = (hour * Math.PI) / 6;
      return `M${200 + 98 * Math.sin(angle)} ${200 - 98 * Math.cos(angle)}L${200 + 110 * Math.sin(angle)} ${200 - 110 * Math.cos(angle)}`;
    }).join("");
    return [
      body(square ? box(58, 58, 284, 284, random.between(5, 60)) : ellipse(200, 200, 145)),
      trim(ellipse(200, 200, random.between(118, 130))),
      line(hours, 6),
      line(
        `M200 200L${200 + random.between(-45, 45)} 145M200 200L${200 + random.between(-80, 80)} ${200 + random.between(-70, 70)}`,
        8,
      ),
    ];
  },
  "plant-pot"({ random, body, trim, leaf }: Draw) {
    const width = random.between(75, 105);
    const count = random.integer(3, 7);
    const half = random.integer(14, 22);
    const leaves = Array.from({ length: count }, (_, at) => {
      const tip = 200 + (at - (count - 1) / 2) * (190 / count);
      return leaf(leafPath(tip, random.between(45, 110), half));
    });
    return [
      ...leaves,
      body(
        polygon([200 - width, 210], [200 + width, 210], [200 + width * 0.7, 345], [200 - width * 0.7, 345]),
      ),
      trim(box(190 - width, 196, 2 * width + 20, 30, 6)),
    ];
  },
  kettle({ random, body, trim, line }: Draw) {
    const top = random.between(120, 150);
    return [
      line(`M255 ${top + 20}C350 ${top - 20} 345 280 275 300`, random.integer(13, 19)),
      body(`M140 ${top + 55}L85 ${top + 25}L${top - 40} ${top + 55}L128 ${top + 110}Z`),
      body(`M145 ${top}H255L290 340H110Z`),
      trim(box(138, top - 14, 124, 22, 9)),
      trim(ellipse(200, top - 20, 15, 11)),
      trim(box(100, 338, 200, 18, 6)),
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

/** A long leaf out of the middle of the pot, widest in its upper half. */
function leafPath(x: number, y: number, half: number): string {
  const lean = (x - 200) * 0.75 + 200;
  return `M196 220C${lean - half * 1.6} 150 ${lean - half} ${y + 30} ${x} ${y}C${lean + half} ${y + 30} ${lean + half * 1.6} 150 204 220Z`;
}
