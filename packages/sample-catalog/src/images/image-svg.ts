import type { Colour, Material } from "../design.ts";
import type { Random } from "../random.ts";
import { clothingShapes } from "./clothing-shapes.ts";
import { box, type Draw, ellipse, polygon } from "./draw.ts";
import { furnitureShapes } from "./furniture-shapes.ts";
import { deviceShapes, footwearShapes, kitchenShapes } from "./shapes.ts";

const bagShapes = {
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

const decorationShapes = {
  vase({ random, body, trim, leaf, dark }: Draw) {
    const neck = random.between(26, 44);
    const belly = random.between(60, 96);
    const shoulder = random.between(226, 260);
    const stems = [
      [132, random.between(48, 76)],
      [200, random.between(30, 46)],
      [268, random.between(52, 80)],
    ] as const;
    const flowers = stems.flatMap(([x, y]) => {
      const petals = Array.from({ length: 6 }, (_, at) => {
        const angle = (at * Math.PI) / 3;
        return ellipse(x + 17 * Math.cos(angle), y + 17 * Math.sin(angle), 13);
      });
      const foot = 200 + (x - 200) * 0.2;
      return [
        leaf(`M${foot - 3} 165L${x - 3} ${y}H${x + 3}L${foot + 3} 165Z`),
        trim(petals.join("")),
        dark(ellipse(x, y, 10)),
      ];
    });
    return [
      leaf("M198 160C150 150 140 120 136 104C170 108 194 126 202 160Z"),
      leaf("M200 160C246 152 262 126 268 108C232 110 208 130 198 160Z"),
      ...flowers,
      body(
        `M${200 - neck} 150C${200 - neck} 185 ${200 - belly} ${shoulder - 40} ${200 - belly} ${shoulder}S${200 - neck} 350 ${200 - neck} 350H${200 + neck}S${200 + belly} ${shoulder + 40} ${200 + belly} ${shoulder}S${200 + neck} 185 ${200 + neck} 150Z`,
      ),
      body(ellipse(200, 150, neck + 6, 9)),
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
};

/** A long leaf out of the middle of the pot, widest in its upper half. */
function leafPath(x: number, y: number, half: number): string {
  const lean = (x - 200) * 0.75 + 200;
  return `M196 220C${lean - half * 1.6} 150 ${lean - half} ${y + 30} ${x} ${y}C${lean + half} ${y + 30} ${lean + half * 1.6} 150 204 220Z`;
}

const lampShapes = {
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

const shapes: Readonly<Record<string, (draw: Draw) => string[]>> = {
  ...footwearShapes,
  ...bagShapes,
  ...clothingShapes,
  ...lampShapes,
  ...kitchenShapes,
  ...furnitureShapes,
  ...decorationShapes,
  ...deviceShapes,
};

/** The parts of the thing from back to front, as SVG elements. */
function drawShape(shape: string, draw: Draw): string {
  const parts = shapes[shape];
  if (parts === undefined) throw new Error(`There is no drawing of a ${shape}.`);
  return parts(draw).join("");
}

export interface Subject {
  shape: string;
  colour: Colour;
  /** Soles, straps, shades. */
  secondColour: Colour;
  material: Material;
}

const backdrops = ["#ffffff", "#f6f5f2", "#eef1f4", "#f3ece4", "#e9efe9"] as const;

/**
 * A product on a plain background, as in shops. `form` sets its proportions, `view` its position. The same random
 * numbers give the same image.
 */
export function imageSvg(subject: Subject, form: Random, view: Random, size: number): string {
  const backdrop = view.pick(backdrops);
  const turn = view.between(-5, 5);
  const scale = view.between(0.84, 1);
  const mirrored = view.chance(0.3) ? -1 : 1;
  const place = `translate(200 200) rotate(${turn.toFixed(1)}) scale(${(mirrored * scale).toFixed(3)} ${scale.toFixed(3)}) translate(-200 -200)`;
  const grainSize = form.between(14, 26).toFixed(1);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="${size}" height="${size}"><defs>`,
    gradient("body", subject.colour.hex, subject.material.texture),
    gradient("trim", subject.secondColour.hex, "smooth"),
    `<pattern id="texture" width="24" height="24" viewBox="0 0 24 24" patternUnits="userSpaceOnUse" patternTransform="scale(${(Number(grainSize) / 24).toFixed(2)})">${textureMarks(subject.material.texture, form)}</pattern></defs>`,
    `<rect width="400" height="400" fill="${backdrop}"/>`,
    `<ellipse cx="200" cy="368" rx="${view.integer(90, 140)}" ry="10" fill="#000" fill-opacity=".1"/>`,
    `<g transform="${place}">${drawShape(subject.shape, createDraw(form))}</g></svg>`,
  ].join("");
}

function createDraw(random: Random): Draw {
  const part = (fill: string) => (path: string) =>
    `<path d="${path}" fill="${fill}" stroke="#000" stroke-opacity=".25" stroke-width="1.5"/>`;
  const stroke = (colour: string) => (path: string, width: number) =>
    `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`;
  const body = part("url(#body)");
  const bodyStroke = stroke("url(#body)");
  // White products must be visible on a white background.
  const edge = stroke("rgba(0,0,0,.25)");
  return {
    random,
    body: (path) => `${body(path)}<path d="${path}" fill="url(#texture)"/>`,
    trim: part("url(#trim)"),
    dark: part("#1b1d22"),
    leaf: part("#4d8b4a"),
    painted: (path, colour) => part(colour)(path),
    line: stroke("#4a4540"),
    bodyLine: (path, width) => edge(path, width + 3) + bodyStroke(path, width),
  };
}

/** Light comes from the upper left; metal and glass are shinier than cloth. */
function gradient(id: string, hex: string, texture: Material["texture"]): string {
  const shine = texture === "metal" || texture === "glass" ? 0.5 : 0.18;
  const stops = texture === "metal" ? [shine, 0, shine * 0.7, -0.35] : [shine, 0, -0.1, -0.28];
  const colours = stops
    .map((amount, at) => `<stop offset="${(at / 3).toFixed(2)}" stop-color="${shade(hex, amount)}"/>`)
    .join("");
  return `<linearGradient id="${id}" gradientUnits="userSpaceOnUse" x1="60" y1="40" x2="340" y2="360">${colours}</linearGradient>`;
}

/** Mixed with white if the amount is positive, with black if it is negative. */
function shade(hex: string, amount: number): string {
  const target = amount > 0 ? 255 : 0;
  const channels = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16);
    return Math.round(value + (target - value) * Math.abs(amount))
      .toString(16)
      .padStart(2, "0");
  });
  return `#${channels.join("")}`;
}

/** The content of an SVG pattern of 24 × 24 over the colour. Light and dark strokes work on any colour. */
function textureMarks(texture: string, random: Random): string {
  const dark = (path: string, width: number) =>
    `<path d="${path}" stroke="#000" stroke-opacity=".22" stroke-width="${width}" fill="none"/>`;
  const light = (path: string, width: number) =>
    `<path d="${path}" stroke="#fff" stroke-opacity=".3" stroke-width="${width}" fill="none"/>`;
  const dots = (count: number, radius: number) =>
    Array.from(
      { length: count },
      () =>
        `<circle cx="${random.integer(1, 23)}" cy="${random.integer(1, 23)}" r="${radius}" fill="${random.chance(0.5) ? "#000" : "#fff"}" fill-opacity=".24"/>`,
    ).join("");
  switch (texture) {
    case "smooth":
      return "";
    case "grain":
      return dark("M0 5q6 -4 12 0t12 0M0 14q5 4 11 0t13 1M3 20q6 -3 10 0", 1.4);
    case "weave":
      return dark("M0 3H12M12 15H24M6 0V9M18 12V24", 3) + light("M12 3H24M0 15H12M18 0V9M6 12V24", 3);
    case "knit":
      return dark("M0 0L6 8L12 0L18 8L24 0M0 12L6 20L12 12L18 20L24 12", 2.4);
    case "wood":
      return dark("M0 4C8 1 14 8 24 4M0 12C6 14 16 9 24 12M0 20C9 17 15 23 24 20", 1.8);
    case "metal":
      return light("M0 2H24M0 8H24M0 14H24M0 20H24", 1);
    case "glass":
      return light("M-4 20L20 -4M6 28L28 6", 4);
    case "mesh":
      return dark("M0 0L24 24M24 0L0 24M12 0L24 12L12 24L0 12Z", 1.6);
    case "speckle":
      return dots(14, 1.3);
    default:
      throw new Error(`There is no drawing of the texture ${texture}.`);
  }
}
