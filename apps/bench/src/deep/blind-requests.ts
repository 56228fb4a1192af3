import {
  after,
  bags,
  hats,
  jackets,
  kettles,
  lamps,
  mugs,
  row,
  type ShopperRequest,
  seats,
  watches,
} from "@product-search/testing/deep-search/expected-answer.ts";

const absent = /found no “|does not have/;
const anything = /./;
/** "A, B and C". */
const names = /\p{Lu}.*, \p{Lu}.* (?:and|und|et|y) /u;
const number = /\d/;

/** Questions about the shop as a whole. */
const aboutTheShop: readonly ShopperRequest[] = [
  row("how many rugs do you have?", { kinds: /Rug/, says: number }),
  row("what brands of speakers do you carry?", { kinds: /Speaker/, says: names }),
  row("do you sell bicycles?", { kinds: /Bike/, says: number }),
  row("do you have any umbrellas?", { says: absent }),
  row("which kinds of bags are there?", { kinds: bags, says: /[Bb]ackpack.*(?:, | and )/ }),
  row("what's the cheapest armchair?", { kinds: /Armchair/, order: "price asc", says: /cheapest/ }),
  row("from what price do your watches start?", { kinds: watches, order: "price asc", says: /\$/ }),
  row("how many different backpacks are in stock?", { kinds: /Backpack/, says: number }),
  row("which brands make hiking boots?", { kinds: /Hiking Boots/, says: names }),
  row("what sorts of lamps do you offer?", { kinds: lamps, says: /[Dd]esk lamp.*(?:, | and )/ }),
  row("what is your most expensive guitar?", {
    kinds: /Guitar/,
    order: "price desc",
    says: /most expensive/,
  }),
  row("how much do your sofas cost?", { kinds: /Sofa/, says: /\$.*\$/ }),
  row("do you have scarves under 30?", { kinds: /Scarf/, max: 30, says: number }),
  row("what do you sell?", { kinds: anything, says: /[Ss]hoes|[Cc]hairs|[Ll]amps/ }),
  row("which categories do you have?", { kinds: anything, says: /[Ss]hoes|[Cc]hairs|[Ll]amps/ }),
  row("how many products do you have in total?", { kinds: anything, says: number }),
  row("is there anything by Stridewell for running?", { kinds: /^Stridewell .*Running/ }),
  row("who makes your keyboards?", { kinds: /Keyboard/, says: names }),
  row("what brands do you stock?", { kinds: anything, says: names }),
  row("how many red dresses are there?", { kinds: /Dress, .*Red/, says: number }),
  row("do you carry microwaves?", { says: absent }),
  row("what's the best rated kettle you've got?", { kinds: kettles, order: "rating desc" }),
  row("what is the price range of your office chairs?", { kinds: /Office Chair/, says: /\$.*\$/ }),
  row("how many brands of sunglasses do you have?", { kinds: /Sunglasses/, says: number }),
  row("do you have wool beanies?", { kinds: /Beanie.*Wool/, says: number }),
  row("which headphone brands are under 100?", { kinds: /Headphones/, max: 100, says: names }),
  row("list all types of chairs", { kinds: seats, says: /[Oo]ffice chair.*(?:, | and )/ }),
  row("how many mugs cost less than 10?", { kinds: mugs, max: 10, says: number }),
  row("are there any vases made of glass?", { kinds: /Vase.*Glass/, says: anything }),
  row("which colours do your rain jackets come in?", { kinds: /Rain Jacket/, says: /[Bb]l(?:ue|ack).*, / }),
];

/** What somebody is about to do, instead of a thing. */
const needs: readonly ShopperRequest[] = [
  row("we just moved into our first flat and need furniture, 2000 at most", {
    kinds: /Chair|Armchair|Table|Desk|Sofa|Stool|Lamp|Light|Rug/,
    max: 2000,
    says: /(?:For|there is).*(?:For|there is)/,
  }),
  row("I'm taking up running", { kinds: /Running|Smartwatch/, says: /[Ss]hoes/ }),
  row("setting up a home office for 900", {
    kinds: /Chair|Desk|Lamp|Keyboard|Clock|Headphones/,
    max: 900,
    says: /Desk.*Chair|Chair.*Desk/,
  }),
  row("I want to get into hiking", { kinds: /Hiking|Backpack|Jacket|Bottle|Trail/, first: /Hiking Boots/ }),
  row("getting my daughter ready for school", { kinds: /Backpack|Bag|Bottle|Desk|Lamp|Shoes|Jacket/ }),
  row("equipping a new kitchen", { kinds: /Kettle|Mug|Teapot|Cup|Bottle|Stool|Chair|Clock|Light|Table/ }),
  row("what do I need for a camping weekend?", {
    kinds: /Fleece|Hiking|Backpack|Duffel|Guitar|Bottle|Jacket|Mug/,
  }),
  row("I'm going on a beach holiday, budget 150", {
    kinds: /Sandals|Hat|Sunglasses|Dress|Bag|Speaker|Duffel|Bottle/,
    max: 150,
  }),
  row("decorating my living room", {
    kinds: /Rug|Cushion|Vase|Clock|Lamp|Light|Pot|Sofa|Armchair|Table/,
    says: /(?:For|there is).*(?:For|there is)/,
  }),
  row("I start commuting by bike next month", {
    kinds: /Bike|Messenger|Jacket|Backpack|Sunglasses|Travel Mug/,
  }),
  row("everything for a cosy reading corner", { kinds: /Armchair|Lamp|Cushion|Rug|Scarf|Light/ }),
  row("I need clothes for my new job in an office", {
    kinds: /Boots|Shoes|Jacket|Shirt|Dress|Scarf|Watch|Hat|Beanie/,
  }),
  row("furnishing a small apartment for under 1500", {
    kinds: /Chair|Armchair|Table|Desk|Sofa|Stool|Lamp|Light|Rug/,
    max: 1500,
    says: /(?:For|there is).*(?:For|there is)/,
  }),
  row("preparing for a winter trip to the mountains", {
    kinds: /Jacket|Beanie|Boots|Scarf|Backpack|Duffel|Trail/,
  }),
  row("my son wants to learn the guitar", { kinds: /Guitar/ }),
  row("setting up my gaming desk with 400", { kinds: /Keyboard|Chair|Headphones|Desk|Lamp/, max: 400 }),
];

/** Measures, ages, properties and attributes. */
const conditions: readonly ShopperRequest[] = [
  row("a backpack for my 8 year old niece", { kinds: /Backpack/, says: /8 year old/ }),
  row("kettle with a 2 year warranty", { kinds: /Kettle/, says: /“2 year warranty”|warranty/ }),
  row("machine washable rug for the hallway", { kinds: /Rug/, says: /washable/ }),
  row("jacket, windproof and light, with hood", { kinds: jackets, says: /windproof/ }),
  row("a watch, water resistant to 50m", { kinds: watches, says: /ater resistant|50/ }),
  row("sneakers, white, leather, under 90", { kinds: /Sneakers.*White|Sneakers/, max: 90 }),
  row("a desk for two people under 400", { kinds: /Desk/, max: 400, says: /two people/ }),
  row("lamp, dimmable, brass, not too expensive", { kinds: /Lamp.*Brass/, order: "price asc" }),
  row("steel water bottle under 25", { kinds: /Bottle.*Steel/, max: 25 }),
  row("gold earrings", { says: absent }),
  row("15 inch laptop bag", { kinds: bags, says: /15/ }),
  row("headphones, wireless, with at least 20 hours of battery", { kinds: /Headphones/, says: /30 hours/ }),
  row("t-shirt in navy, size L", { kinds: /T-Shirt, .*Navy/ }),
  row("running shoes in blue, size 41, under 120", { kinds: /Running Shoes, .*Blue/, max: 120 }),
  row("a rug 160 x 230 cm", { kinds: /Rug/, says: /^(?!.*does not confirm)/ }),
  row("vegan shoulder bag"),
  row("teapot for four, stoneware", { kinds: /Teapot.*Stoneware/, says: /erves four/ }),
  row("sofa for three people", { kinds: /Sofa/, says: /three people/ }),
  row("a chair that can carry 120 kg", { kinds: seats, says: /120 ?kg/ }),
  row("apple watch", { kinds: watches, says: /apple/i }),
  row("cushion, 50 x 50, velvet", { kinds: /Cushion.*Velvet/ }),
  row("bluetooth speaker that is waterproof and lasts 20 hours", {
    kinds: /Speaker/,
    says: /20 hours|aterproof/,
  }),
  row("boots, ankle high, brown, below 100, size 39", { kinds: /Boots/, max: 100 }),
  row("a dress in purple for under 20", { says: /purple|price limit stands/ }),
  row("leather sofa under 200", { says: /price limit stands|no leather sofa/ }),
  row("bamboo desk lamp under 30", { kinds: /Desk Lamp/, max: 30, says: /bamboo/i }),
  row("a silent wall clock for the kids' room", { kinds: /Clock/, says: /ilent/ }),
  row("a mug that holds half a litre", { kinds: mugs, says: /half a litre/ }),
  row("organic cotton t-shirt in size XS", { kinds: /T-Shirt.*Organic cotton/ }),
  row("a smartwatch with GPS, heart rate sensor and a camera", { kinds: /Smartwatch/, says: /camera/ }),
  row("a scarf for a 70 year old lady", { kinds: /Scarf/, says: /70 year old/ }),
  row("carbon bike in size M under 1500", { kinds: /Bike.*Carbon/, max: 1500 }),
];

const followUps: readonly ShopperRequest[] = [
  after(["show me armchairs"], "cheaper ones", { kinds: /Armchair/, order: "price asc" }),
  after(["a winter jacket"], "and windproof?", { kinds: jackets, says: /windproof/ }),
  after(["red sneakers"], "no, white ones", { kinds: /(?:Shoes|Sneakers), White/ }),
  after(["a backpack"], "sorry, I meant for kids", { kinds: /Backpack/, says: /kids/ }),
  after(["bluetooth speakers under 100"], "something better", { kinds: /Speaker/, max: 100 }),
  after(["coffee mugs"], "and dishwasher safe?", { kinds: mugs, says: /dishwasher/ }),
  after(["the cheapest wall clock"], "anything cheaper?", { kinds: /Clock/, says: /cheaper/ }),
  after(["hiking boots in size 42"], "and in brown", { kinds: /Hiking Boots, .*Brown/ }),
  after(["desk lamp", "in black"], "not metal", { kinds: /Desk Lamp/, not: /Steel|Brass|Aluminium/ }),
  after(["a gift for my dad"], "he likes coffee", { kinds: /./, first: /Coffee|Mug|Cup|Kettle/ }),
  after(["office chairs"], "which one is the cheapest?", { kinds: /Office Chair/, says: /cheapest/ }),
  after(["rugs for the bedroom"], "more expensive ones", { kinds: /Rug/, order: "price desc" }),
  after(["a watch"], "no, I meant a wall clock", { kinds: /Wall Clock/ }),
  after(["sunglasses"], "do you have them in tortoise?", { kinds: /Sunglasses/, says: /tortoise/ }),
  after(["travel mug"], "how many of those do you have?", { kinds: /Travel Mug/, says: number }),
  after(["kettles under 50"], "what brands are there?", { kinds: kettles, max: 50, says: names }),
  after(["leather bag under 100"], "actually make it under 200", { kinds: /Leather/, max: 200 }),
  after(["t-shirts"], "in large please", { kinds: /T-Shirt/ }),
  after(["sofas"], "show me others", { kinds: /Sofa/ }),
  after(["a rain jacket"], "for women", { kinds: /Rain Jacket/, says: /women/ }),
  after(["summer dress"], "no, not that expensive", { kinds: /Dress/, order: "price asc" }),
  after(["guitars"], "the second one, is it good for beginners?", { kinds: /Guitar/, says: /eginners/ }),
  after(["headphones"], "with noise cancelling instead", { kinds: /Headphones/, says: /oise cancelling/ }),
  after(["a bike"], "is it available in small?", { kinds: /Bike/ }),
];

const misspelt: readonly ShopperRequest[] = [
  row("chep sofaz under 800", { kinds: /Sofa/, max: 800, order: "price asc" }),
  row("watterproof hikng boots", { kinds: /Hiking Boots/, says: /aterproof/ }),
  row("bluetoth speker for the bech", { kinds: /Speaker/ }),
  row("leathr mesenger bag", { kinds: /Messenger Bag.*Leather/ }),
  row("how mny kettels do you have", { kinds: kettles, says: number }),
  row("wireles hedphones undr 100", { kinds: /Headphones/, max: 100 }),
  row("a beeny for wintr", { kinds: hats }),
  row("runing shoos in whte", { kinds: /Shoes.*White|Sneakers.*White/ }),
  row("plant pott for hearbs", { kinds: /Plant Pot/ }),
];

const foreign: readonly ShopperRequest[] = [
  row("wie viele Sofas haben Sie?", { kinds: /Sofa/, says: number }),
  row("welche Marken von Uhren gibt es?", { kinds: /Watch|watch|Clock/, says: names }),
  row("ich richte meine erste Wohnung ein, bis 1500 Euro", {
    kinds: /Chair|Armchair|Table|Desk|Sofa|Stool|Lamp|Light|Rug/,
    max: 1500,
  }),
  row("avez-vous des vélos ?", { kinds: /Bike/ }),
  row("combien de lampes avez-vous ?", { kinds: lamps, says: number }),
  row("un sac à dos pour mon fils de 8 ans", { kinds: /Backpack/, says: /8 ans/ }),
  row("¿qué marcas de auriculares tienen?", { kinds: /Headphones/, says: names }),
  row("botas de montaña talla 42, impermeables", { kinds: /Hiking Boots/ }),
  after(["une lampe de bureau"], "moins cher", { kinds: /Desk Lamp/, order: "price asc" }),
];

/**
 * Requests that were written before deep search had answered any of them. Every other one, from the second on, was held
 * back while the rules were changed.
 */
export const blindRequests: readonly ShopperRequest[] = [
  ...aboutTheShop,
  ...needs,
  ...conditions,
  ...followUps,
  ...misspelt,
  ...foreign,
];
