import {
  absent,
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
  shoes,
  watches,
} from "./expected-answer.ts";
import { judgedRequests } from "./judged-requests.ts";

/** The examples of the documents; a test detects missing ones. */
const examples: readonly ShopperRequest[] = [
  row("a gift for a runner under 80", { kinds: /Running/, max: 80 }),
  row("the best rated desk lamp", { kinds: /Desk Lamp/, order: "rating desc" }),
  row("a leather bag, not black", { kinds: bags, not: /Black/, first: /Leather/ }),
  row("cheap mugs", { kinds: mugs, order: "price asc" }),
  row("comfortable shoes for long walks, under 100", { kinds: shoes, max: 100 }),
  row("comfortable running shoes under 100, well rated", { kinds: /Running Shoes/, max: 100, minRating: 4 }),
  row("a leather bag under 150, not black", { kinds: bags, not: /Black/, max: 150 }),
  row("a warm hat for skiing under 80", { kinds: hats, max: 80 }),
  row("a mug for the office under 20", { kinds: mugs, max: 20 }),
];

const wishesAndPurposes: readonly ShopperRequest[] = [
  row("something to sit on in the kitchen", { kinds: seats }),
  row("headphones with noise cancelling for a flight", { kinds: /Headphones/, says: /oise cancelling/ }),
  row("a present for my mother who likes tea", { kinds: /./, first: /Teapot|Kettle|Mug/ }),
  row("something to keep my coffee warm", { kinds: /Travel Mug/ }),
  row("gift for a coffee lover", { kinds: /./, first: /Coffee|Cup|Mug|Kettle/ }),
  row("a gift for someone who likes to read", { kinds: lamps }),
  row("need a birthday present for my dad, max 50", { kinds: /./, max: 50 }),
  row("something to carry my laptop to work", { kinds: bags }),
  row("something to drink tea from", { kinds: /Mug|Cup|Bottle/ }),
  row("something to keep me warm in winter", { kinds: /Jacket|Scarf|Hat|Beanie/ }),
  row("something for camping", { kinds: /./ }),
  row("speaker for parties on the beach", { kinds: /Speaker/ }),
  row("waterproof jacket for cycling in the rain", { kinds: jackets, first: /Rain Jacket/ }),
  row("a watch for a runner", { kinds: watches, first: /Smartwatch/ }),
  row("a good chair for the home office", { kinds: /Chair|Stool/, first: /Office Chair/ }),
  row("what's a good bag for commuting by bike?", { kinds: bags }),
  row("I need shoes for a wedding", { kinds: shoes }),
  row("warm clothes", { kinds: /Jacket|Shirt|Dress|Hat|Beanie|Scarf/ }),
  row("furniture under 100", { kinds: /Chair|Armchair|Stool|Sofa|Table|Desk/, max: 100 }),
  row("a stylish dress for a garden party", { kinds: /Dress/ }),
  row("a guitar for a beginner", { kinds: /Guitar/ }),
];

const thingsAndNames: readonly ShopperRequest[] = [
  row("sneakers", { kinds: /Sneakers/ }),
  row("a tote", { kinds: /Tote Bag/ }),
  row("Ibexa Rix", { kinds: /^Ibexa Rix / }),
  row("Ibexa shoes", { kinds: /^Ibexa .*Shoes/ }),
  row("Stridewell running shoes, grey", { kinds: /^Stridewell .*Running Shoes, Grey/ }),
  row("bags by Velmora that are not leather", { kinds: /^Velmora/, not: /Leather/ }),
  row("the cheapest smartwatch with GPS", { kinds: /Smartwatch/, order: "price asc" }),
  row("dress watch under 200", { kinds: /Dress Watch/, max: 200 }),
  row("a plant pot for herbs under 15", { kinds: /Plant Pot/, max: 15 }),
  row("microwave safe mug", { kinds: mugs, says: /icrowave safe/ }),
  row("trail running shoes with a waterproof lining", {
    kinds: /Trail Running Shoes/,
    says: /aterproof lining/,
  }),
  row("hiking boots", { kinds: /Hiking Boots/ }),
  row("electric kettle with temperature control", { kinds: /Electric Kettle/ }),
  row("Nike shoes", { kinds: shoes, reads: /without the word "nike"/ }),
];

const absentThings: readonly ShopperRequest[] = [
  row("laptop under 500", {
    says: /^I found no “laptop”[^.]*\. .*only other things mention it, such as bags\. The suggestions/,
  }),
  row("32 inch tv", { says: absent }),
  row("iphone", { says: absent }),
  row("dog food", { says: absent }),
  row("a drone", { says: absent }),
  row("coffee machine", { says: absent }),
  row("socks", { says: absent }),
  row("a bed", { says: absent }),
  row("lamp shade", { says: absent }),
  row("a tent for two under 200", { says: absent }),
];

const constraints: readonly ShopperRequest[] = [
  row("neither red nor black", { kinds: /./, not: /\b(?:Red|Black)\b/ }),
  row("a bag that is neither red nor black", { kinds: bags, not: /\b(?:Red|Black)\b/ }),
  row("a lamp that is neither brass nor steel", { kinds: lamps, not: /Brass|Steel/ }),
  row("no plastic bottles", { kinds: /Bottle/, not: /Plastic/ }),
  row("rugs between 100 and 200", { kinds: /Rug/, min: 100, max: 200 }),
  row("watches rated 4.5 or better under 300", { kinds: watches, minRating: 4.5, max: 300 }),
  row("kettles, 4 stars", { kinds: kettles, minRating: 4 }),
  row("a bag for 80 Euro", { kinds: bags, min: 64, max: 96, says: /Prices here are in USD/ }),
  row("most expensive sofa", { kinds: /Sofa/, order: "price desc" }),
  row("mugs under 1", { says: /./ }),
];

const comparisons: readonly ShopperRequest[] = [
  row("which is better, a tote or a backpack?", {
    kinds: /Tote Bag|Backpack/,
    says: /those of the tote mention “[a-z].*those of the backpack mention “[a-z].*start at .* for the tote, .* and at .* for the backpack, .*If the price decides, take the tote\.$/,
  }),
  row("what is the difference between the Ibexa Rix and the Altivo Rador?", {
    kinds: /^(?:Ibexa Rix|Altivo Rador) /,
    says: /^(?:[^“]|\.\d)*cheaper of the two\. The descriptions of both mention “/,
  }),
  row("compare Auralis and Voltaine speakers", { kinds: /^(?:Auralis|Voltaine) .*Speaker/, not: /“The/ }),
  row("a lamp and a rug under 300 together", { kinds: /Lamp|Light|Rug/, says: /within your budget/ }),
];

const conversations: readonly ShopperRequest[] = [
  after(["a mug for the office"], "and under 20?", { kinds: mugs, max: 20, says: /office/ }),
  after(["a mug for the office under 20"], "and cheaper?", { kinds: mugs, max: 19.99 }),
  after(["running shoes under 100"], "and cheaper?", { kinds: /Running Shoes/, max: 82.99 }),
  after(["a leather bag"], "in brown instead", { kinds: bags, first: /Brown Leather/ }),
  after(["red shoes"], "in blue instead", { kinds: /(?:Shoes|Boots|Sneakers|Sandals), .*Blue/ }),
  after(["a leather bag"], "the second one", {
    kinds: bags,
    says: /Its? description|The description of|the shop says/,
  }),
  after(["a leather bag"], "without leather", { kinds: bags, not: /Leather/ }),
  after(["a leather bag under 150", "and in brown?"], "but not a tote", {
    kinds: /(?:Bag|Backpack|Duffel), Brown Leather/,
    not: /Tote/,
    max: 150,
  }),
  after(["headphones with noise cancelling"], "how long does the battery last?", {
    kinds: /Headphones/,
    says: /30 hours of battery/,
  }),
  after(["headphones with noise cancelling"], "is the first one waterproof?", {
    kinds: /Headphones/,
    says: /does not say/,
  }),
  after(["desk lamp"], "compare the first two", { kinds: /Desk Lamp/, says: /of the two/ }),
  after(["desk lamp"], "which is better, the first or the third?", {
    kinds: /Desk Lamp/,
    says: /of the two/,
  }),
  after(["desk lamp"], "the cheapest one", { kinds: /Desk Lamp/ }),
  after(["mugs under 20"], "what about kettles?", { kinds: kettles, max: 20 }),
  after(["jackets"], "something for cycling", { kinds: /Rain Jacket/ }),
  after(["jackets"], "best rated", { kinds: jackets, order: "rating desc" }),
  after(["jackets"], "from Kaldrun", { kinds: /^Kaldrun .*Jacket/ }),
  after(["jackets under 80"], "a watch", { kinds: watches }),
  after(["Ibexa Rix", "is it waterproof?"], "and how much is it?", {
    kinds: /^Ibexa Rix/,
    says: /costs \$77\.95/,
  }),
  after(["Ibexa Rix", "is it waterproof?"], "anything cheaper?", { kinds: shoes, max: 77.94 }),
  after(["a gift for a runner under 80"], "not shoes", { kinds: /Running Shirt|Smartwatch/, max: 80 }),
  after(["chairs"], "the fifteenth one", { says: /do not see which product/ }),
  after(["watches"], "thanks!", { says: /./ }),
  after([], "is it waterproof?", { says: /do not see which product/ }),
];

/** German, French and Spanish over an English catalog: kind, colour, price and negation. */
const otherLanguages: readonly ShopperRequest[] = [
  row("rote Schuhe unter 80 Euro", {
    kinds: shoes,
    first: /Red/,
    max: 80,
    says: /Die Preise sind hier in USD/,
  }),
  row("Ich suche einen Rucksack unter 100 €", { kinds: /Backpack/, max: 100 }),
  row("schwarze Ledertasche", { kinds: bags, first: /Black Leather/ }),
  row("Tasche ohne Leder, nicht schwarz", { kinds: bags, not: /Leather|Black/ }),
  row("billige Tassen", { kinds: mugs, order: "price asc" }),
  row("Schreibtischlampe zwischen 30 und 60 Euro", { kinds: /Desk Lamp/, min: 30, max: 60 }),
  row("wasserdichte Wanderschuhe", { kinds: /Hiking Boots/, says: /aterproof/ }),
  row("ein Geschenk für einen Läufer unter 80 Euro", { kinds: /Running/, max: 80 }),
  row("Kopfhörer mit Geräuschunterdrückung", { kinds: /Headphones/, says: /oise cancelling/ }),
  row("Laptop unter 500 Euro", { says: absent }),
  row("weder rot noch schwarz", { kinds: /./, not: /\b(?:Red|Black)\b/ }),
  row("Stridewell Laufschuhe, grau", { kinds: /^Stridewell .*Shoes, Grey/ }),
  row("chaussures rouges", { kinds: shoes, first: /Red/ }),
  row("un sac en cuir, pas noir", { kinds: bags, first: /Leather/, not: /Black/ }),
  row("sac à dos noir sans cuir à moins de 100 euros", {
    kinds: /Backpack, Black/,
    not: /Leather/,
    max: 100,
  }),
  row("lampe de bureau entre 30 et 60 euros", { kinds: /Desk Lamp/, min: 30, max: 60 }),
  row("chaussures de course imperméables", { kinds: /Running Shoes/, says: /aterproof/ }),
  row("je cherche une veste de pluie bleue", { kinds: /Rain Jacket, .*Blue/ }),
  row("tasses pas chères", { kinds: mugs, order: "price asc" }),
  row("ni rouge ni noir", { kinds: /./, not: /\b(?:Red|Black)\b/ }),
  row("zapatos rojos", { kinds: shoes, first: /Red/ }),
  row("zapatillas de correr por menos de 80 euros", { kinds: /Running Shoes/, max: 80 }),
  row("un bolso de cuero que no sea negro", { kinds: bags, first: /Leather/, not: /Black/ }),
  row("mochila azul sin cuero", { kinds: /Backpack, .*Blue/, not: /Leather/ }),
  row("lámpara de escritorio entre 30 y 60 euros", { kinds: /Desk Lamp/, min: 30, max: 60 }),
  row("tazas baratas", { kinds: mugs, order: "price asc" }),
  row("ni rojo ni negro", { kinds: /./, not: /\b(?:Red|Black)\b/ }),
  after(["Schuhe"], "in Blau", { kinds: /Blue/ }),
  // English words that are also words of other languages.
  row("gold ring", { says: absent }),
  row("a table for the office", { kinds: /Table|Desk/ }),
  // A length of walks is no property of shoes.
  row("comfortable shoes for long walks", { kinds: shoes, reads: /^Shoes: "walks", comfortable first$/ }),
  row("trainers for short daily runs", { kinds: /Shoes|Sneakers/, reads: /^(?!.*daily)/ }),
  // Who a gift is for, and what they love, are no words of products.
  row("a birthday present for my mum under 40", { kinds: /./, max: 40, reads: /^(?!.*mum)/ }),
  row("a gift for someone who loves coffee", { kinds: /./, first: /Coffee|Cup|Mug/, reads: /^(?!.*loves)/ }),
  row("a present for my uncle who enjoys cycling", { kinds: /./, reads: /^(?!.*enjoys)/ }),
  // A size is an attribute of shoes and clothes; one that the catalog does not have is said.
  row("running shoes size 42", { kinds: /Running/, reads: /"running", size 42/ }),
  row("size M rain jacket", { kinds: /Rain Jacket/, reads: /"rain", size m/ }),
  row("sandals in size 41 or 42", { kinds: /Sandals/, reads: /size 41 or 42/ }),
  row("a shirt in blue, size 42", { kinds: /Shirt/, says: /does not confirm “size 42”/ }),
  row("sofa in blue, size 42", { kinds: /Sofa/, says: /does not confirm “size 42”/ }),
  row("an oak desk in black, size XL", { kinds: /Desk/, says: /does not confirm “size XL”/ }),
  row("size 42 please", { history: ["running shoes"], kinds: /Running/, reads: /size 42/ }),
  row("running shoes size 71", { kinds: /Running/, says: /does not confirm “size 71”/ }),
  // Words of size order, and a mention elsewhere ("a small studio") is not one of the thing.
  row("a small lamp for reading in bed", { kinds: lamps, reads: /small first/ }),
  row("a handbag", { kinds: bags }),
  // Real leather is no answer to this.
  row("a vegan leather handbag"),
  row("fake fur jacket"),
  row("wooden chair", { kinds: /Oak|Walnut|Bamboo/, reads: /^(?!.*without)/ }),
];

const questions: readonly ShopperRequest[] = [
  row("what do you have from Noctis?", { says: absent }),
  row("what do you sell by Kvist?", { kinds: /^Kvist/ }),
  row("is there anything by Ibexa under 60?", { kinds: /^Ibexa/, max: 60 }),
  row("Is the Ibexa Rix running shoe waterproof?", { kinds: /^Ibexa Rix/, says: /does not say/ }),
  row("Does the Hexapace Halvia backpack have a laptop compartment?", {
    kinds: /^Hexapace Halvia/,
    says: /“[^”]*laptop compartment”/,
  }),
  row("how big is the Gravelline Paelston bottle?", { kinds: /^Gravelline Paelston/, says: /does not say/ }),
  row("what is the Pantry & Pine Yaudor kettle made of?", { kinds: /Yaudor/, says: /“[^”]*glass[^”]*”/ }),
  row("how much is the Ibexa Rix?", { kinds: /^Ibexa Rix/, says: /costs \$77\.95 at Harbour Street Store/ }),
  row("who makes the Rix running shoes?", { kinds: /^Ibexa Rix/, says: /made by Ibexa/ }),
  row("is the Nike Pegasus waterproof?", { says: /no product of that name/ }),
  row("tell me about the Quartzen Draenna headphones", { kinds: /^Quartzen Draenna/, says: /“[^”]+”/ }),
  row("are running shoes waterproof?", { kinds: /Running Shoes/ }),
  row("is there a sofa under 500?", { kinds: /Sofa/, max: 500 }),
];

export const shopperRequests: readonly ShopperRequest[] = [
  ...examples,
  ...wishesAndPurposes,
  ...thingsAndNames,
  ...absentThings,
  ...constraints,
  ...comparisons,
  ...questions,
  ...conversations,
  ...otherLanguages,
  ...judgedRequests,
];
