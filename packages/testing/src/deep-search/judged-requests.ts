import {
  after,
  bags,
  hats,
  jackets,
  lamps,
  mugs,
  row,
  type ShopperRequest,
  seats,
  shoes,
  watches,
} from "./expected-answer.ts";

/** Requests whose answers a reader called wrong: a condition dropped in silence, or another thing recommended. */
const onceWrong: readonly ShopperRequest[] = [
  row("waterproof boots for kids", { kinds: /Boots/, says: /“kids”/, first: /Boots/ }),
  row("running shoes size 42", { kinds: /Running/, says: /^(?!.*does not confirm)/ }),
  row("is there anything for a picnic?", { kinds: /Speaker/, says: /only speakers mention “picnic”/ }),
  row("a present for a gamer", { kinds: /./, first: /Keyboard|Chair/ }),
  row("mugs without handles", { kinds: mugs, says: /“handles”/ }),
  row("warm hat and gloves", { kinds: hats, says: /no “gloves”/ }),
  row("a chair and a lamp for my office under 300", {
    kinds: /Office Chair|Desk Lamp/,
    max: 300,
    says: /^(?!.*(?:No description|mentions “office”)).*Together they cost less than the limit/,
  }),
  row("what's the difference between a tote and a messenger bag?", {
    kinds: /Tote Bag|Messenger Bag/,
    says: /tote mention [^.]*“long handles”[^.]*messenger bag mention [^.]*“[Qq]uick release buckle”/,
  }),
  row("una chaqueta impermeable para hombre", {
    kinds: jackets,
    first: /Rain Jacket/,
    says: /^Los datos .*«hombre».*«impermeable»/,
  }),
  row("neither red nor black sneakers", { kinds: /Shoes|Sneakers/, not: /\b(?:Red|Burgundy|Black)\b/ }),
  after(["a leather bag", "without leather"], "the cheapest one", {
    kinds: bags,
    not: /Leather/,
    order: "price asc",
    says: /is the cheapest/,
  }),
];

/** What else the reader found wanting. */
const onceWanting: readonly ShopperRequest[] = [
  row("kitchen knife set", { says: /no “kitchen knife set”/ }),
  row("dumbbells for home workouts", { says: /no “dumbbells”/ }),
  row("yoga mat, not pink", { says: /no “yoga mat”/ }),
  row("headphones with noise cancelling on a flight", { kinds: /Headphones/, says: /oise cancelling/ }),
  row("a warm jacket for winter under 150", { kinds: /Fleece Jacket/, max: 150 }),
  row("an office chair that is good for my back", { kinds: /Office Chair/, says: /“back”.*umbar support/ }),
  row("bluetooth speaker for the beach", { kinds: /Speaker/, says: /“beach”.*aterproof/ }),
  row("what is popular in shoes?", {
    kinds: shoes,
    order: "rating desc",
    says: /How often a product is bought/,
  }),
  row("I want to start running", {
    kinds: /Running|Smartwatch/,
    first: /Running Shoes/,
    reads: /^Shoes: "running" and T-Shirts: "running"/,
  }),
  row("guitar under 300 dollars", { kinds: /Guitar/, max: 300, says: /cheapest at \$80\.99/ }),
  row("a red dress for a wedding", { kinds: /Dress, Red/, says: /“wedding”/ }),
  row("a small lamp for a shelf", { kinds: lamps, says: /“small”/ }),
  row("white sneakers for women", { kinds: /White/, says: /“women”/ }),
  row("eine rote Lampe unter 50 Euro", { kinds: lamps, max: 50, says: /„rot“.*günstiger/ }),
  row("un sac en cuir pas cher", { kinds: bags, order: "price asc", says: /est le moins cher/ }),
  row("was ist besser, ein Rucksack oder eine Tasche?", {
    kinds: bags,
    says: /^Die Beschreibungen unterscheiden sich: bei „Rucksack“ nennen sie „.*Wenn der Preis entscheidet, nehmen Sie „Tasche“/,
  }),
  row("wasserdichte Jacke für Kinder Größe 128", { kinds: jackets, says: /„Größe 128“.*„Kinder“/ }),
  row("Nike shoes for men", { kinds: shoes, says: /“Nike”|“men”/ }),
];

/** Quotes from an English catalog: marked if they are about the request, else left out. */
const foreignQuotes: readonly ShopperRequest[] = [
  row("una chaqueta impermeable", { kinds: jackets, says: /su descripción dice «[^»]*» \(en inglés\)/ }),
  row("ein Rucksack", { kinds: bags, says: /^[^„]*$/ }),
  row("un sac en cuir pas cher", { kinds: bags, order: "price asc", says: /^[^«]*$/ }),
];

/** Reasons are facts about the list, and nothing is said that does not help. */
const reasons: readonly ShopperRequest[] = [
  row("kitchen knife set", { says: /^I found no “kitchen knife set” in this shop\. The suggestions/ }),
  row("I want to start running", {
    kinds: /Running|Smartwatch/,
    says: /^For shoes I would take .*For t-shirts there is /,
  }),
  row("a small lamp for reading in bed", { kinds: lamps, says: /use”\. Its data does not say “small”\./ }),
];

/** What a word of the request stands for in the catalog, and what was kept of earlier requests. */
const readings: readonly ShopperRequest[] = [
  row("wooden chair", { kinds: seats, says: /for “wooden”, the name says “(?:walnut|oak|bamboo)”/ }),
  row("metal lamp", { kinds: /Steel|Brass|Aluminium|Copper/, says: /“metal”.*“(?:steel|brass)”/ }),
  row("white sneakers for women", {
    kinds: /Shoes, White/,
    says: /No product that fits has “sneakers” in its name/,
  }),
  // A smartwatch is a watch: it was beaten by one that is cheaper and better rated.
  row("a watch that is not leather", { kinds: watches, not: /Leather/, first: /Smartwatch/ }),
  row("ein Holzstuhl", { kinds: seats, says: /Für „Holzstuhl“ steht im Namen „(?:walnut|oak|bamboo)“/ }),
  row("what is better for tea, a mug or a teapot?", {
    kinds: /Mug|Cup|Teapot/,
    says: /of the mug mention .* of the teapot mention /,
  }),
  row("a gift for a music lover", { kinds: /Headphones|Speaker|Guitar/ }),
  row("something for cooking", { says: /^I found no product/ }),
  row("Kopfhörer für das Flugzeug", { kinds: /Headphones/, says: /„Flugzeug“.*noise cancelling/i }),
  row("a waterproof watch", { kinds: watches, says: /“waterproof”.*ater.resistant/ }),
  // A translated word is in no name of an English catalog.
  row("weiße Turnschuhe", { kinds: /Shoes, White/, says: /^(?!.*Turnschuhe)/ }),
  row("a couch under 900", { kinds: /./, first: /Sofa/, says: /^I would take/ }),
  row("a warm hat", { kinds: hats, says: /^I would take/ }),
  after(["show me hats", "cheaper"], "in blue", {
    kinds: hats,
    says: /^I kept to the price limit from before\./,
  }),
];

const alternatives: readonly ShopperRequest[] = [
  row("cheapest noise cancelling headphones", {
    kinds: /Headphones/,
    order: "price asc",
    says: /A second choice would be [^“]*rated 4\.\d stars/,
  }),
];

/** A need that the product data speaks of decides the choice, and is the reason given for it. */
const needs: readonly ShopperRequest[] = [
  row("something to keep my coffee hot", {
    kinds: /Travel Mug/,
    says: /its description says “[^”]*[Kk]eeps drinks hot/,
  }),
  row("something to keep my tea warm", { kinds: /Travel Mug/, says: /“warm”.*[Kk]eeps drinks hot/ }),
  row("something to keep me dry", { kinds: /Rain Jacket/ }),
  row("a warm jacket for under 150", { kinds: jackets, max: 150, says: /“warm”.*“fleece”/ }),
  row("warm hat and gloves", { kinds: hats, says: /because its description says “[^”]*warm/ }),
];

/** Questions about the shop, needs, measures and corrections. */
const strangers: readonly ShopperRequest[] = [
  row("how many watches do you have?", { kinds: watches, says: /^84 products fit/ }),
  row("which brands of mugs are there?", { kinds: mugs, says: /are made by .*, .* and \d+ more/ }),
  row("what kinds of jackets do you sell?", { kinds: jackets, says: /rain jacket.* and / }),
  row("what is the price range of your mugs?", { kinds: mugs, order: "price asc", says: /cost from .* to / }),
  row("which sizes do your jackets come in?", { kinds: jackets, says: /They come in .*XL/ }),
  row("we want to take up hiking", {
    kinds: /Boots|Bottle|Jacket/,
    first: /Hiking Boots/,
    says: /^For shoes/,
  }),
  row("a bag for my 9 year old son", { kinds: bags, says: /“9 year old”/ }),
  row("chep bluetoth speakers undr 60", { kinds: /Speaker/, max: 60, order: "price asc" }),
  after(["red shoes"], "no, blue ones", { kinds: shoes, not: /Red/, first: /Blue/ }),
  after(["bags"], "cheaper ones", { kinds: bags, order: "price asc" }),
  after(["the cheapest watch"], "cheaper ones", { kinds: watches, says: /^Nothing that fits is cheaper/ }),
  after(["a warm jacket"], "and waterproof?", { kinds: jackets, says: /^Nothing [^.]*“waterproof”/ }),
];

/** What readers of answers found wrong or wanting, as properties of the answer. */
export const judgedRequests: readonly ShopperRequest[] = [
  ...onceWrong,
  ...onceWanting,
  ...foreignQuotes,
  ...reasons,
  ...readings,
  ...alternatives,
  ...needs,
  ...strangers,
];
