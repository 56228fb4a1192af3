/** A unit of measure in terms of its base unit. Only units of the same kind are converted. */
export interface Unit {
  readonly base: string;
  readonly factor: number;
}

const unit = (base: string, factor = 1): Unit => ({ base, factor });

/** By the term that all spellings of the unit share ("in" for inch, inches and the mark). */
const units: ReadonlyMap<string, Unit> = new Map(
  Object.entries({
    in: unit("in"),
    ft: unit("in", 12),
    yd: unit("in", 36),
    mm: unit("mm"),
    cm: unit("mm", 10),
    m: unit("mm", 1000),
    oz: unit("oz"),
    lb: unit("oz", 16),
    g: unit("g"),
    kg: unit("g", 1000),
    ml: unit("ml"),
    cl: unit("ml", 10),
    l: unit("ml", 1000),
    pt: unit("floz", 16),
    qt: unit("floz", 32),
    gal: unit("floz", 128),
    v: unit("v"),
    w: unit("w"),
    kw: unit("w", 1000),
    a: unit("a"),
    ah: unit("mah", 1000),
    mah: unit("mah"),
    hp: unit("hp"),
    btu: unit("btu"),
    gb: unit("gb"),
    tb: unit("gb", 1000),
    psi: unit("psi"),
    cfm: unit("cfm"),
    gpf: unit("gpf"),
    gpm: unit("gpm"),
    mph: unit("mph"),
    rpm: unit("rpm"),
    hz: unit("hz"),
    gaug: unit("gauge"),
  }),
);

const compoundUnits: ReadonlyMap<string, Unit> = new Map(
  Object.entries({
    "sq ft": unit("sqft"),
    "sq in": unit("sqin"),
    "sq m": unit("sqm"),
    "cu ft": unit("cuft"),
    "cu in": unit("cuin"),
    "fl oz": unit("floz"),
  }),
);

export function unitOf(term: string): Unit | undefined {
  return units.get(term);
}

/** For units of two terms, as in "18 cu. ft." */
export function compoundUnitOf(first: string, second: string): Unit | undefined {
  return compoundUnits.get(`${first} ${second}`);
}
