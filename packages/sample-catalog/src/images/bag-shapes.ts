import { box, type Draw, polygon } from "./draw.ts";

export const bagShapes = {
  tote({ random, body, trim, bodyLine }: Draw) {
    const top = random.between(160, 185);
    const flare = random.between(0, 22);
    const reach = random.between(112, 140);
    const handle = random.integer(9, 13);
    const loop = (lift: number) =>
      `M138 ${top + 40}V${top - reach * 0.4 - lift}C138 ${top - reach - lift} 262 ${top - reach - lift} 262 ${top - reach * 0.4 - lift}V${top + 40}`;
    return [
      bodyLine(loop(14), handle),
      body(polygon([92 - flare, top], [308 + flare, top], [300, 352], [100, 352])),
      bodyLine(loop(0), handle),
      trim(
        random.chance(0.5)
          ? box(152, 228, 96, 84, 6)
          : polygon([97 - flare * 0.3, 300], [303 + flare * 0.3, 300], [300, 352], [100, 352]),
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
  messenger({ random, body, trim, dark, bodyLine }: Draw) {
    const top = random.between(186, 206);
    const flap = random.between(84, 104);
    const buckles = [124, 276].flatMap((x) => [
      bodyLine(`M${x} ${top + 6}V${top + flap + 22}`, 15),
      dark(box(x - 15, top + flap - 8, 30, 24, 5)),
    ]);
    return [
      // One long strap with a pad for the shoulder, to be worn across the chest.
      bodyLine(`M72 ${top + 24}C70 10 330 10 328 ${top + 24}`, random.integer(12, 16)),
      bodyLine(`M150 56Q200 ${random.integer(40, 44)} 250 56`, 28),
      body(box(58, top, 284, 158, 12)),
      trim(
        `M52 ${top}Q52 ${top - 10} 66 ${top - 10}H334Q348 ${top - 10} 348 ${top}V${top + flap - 16}Q348 ${top + flap} 330 ${top + flap}H70Q52 ${top + flap} 52 ${top + flap - 16}Z`,
      ),
      ...buckles,
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
};
