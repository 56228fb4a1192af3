import { box, type Draw, ellipse, polygon } from "./draw.ts";

export const decorationShapes = {
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
