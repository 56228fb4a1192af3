import { termOf } from "../text/term.ts";
import { englishThings } from "./english-things.ts";
import type { WordLists } from "./word-lists.ts";
import { wordSet } from "./word-set.ts";

const functionWords = wordSet(
  "a an and any are as at be by for from in into is it its my of on or our some that the these this those to with your",
);

const linkingWords = wordSet("for with without under from by of on that to near against");

const lightWords = wordSet(`
  accessories accessory affordable all amazing any assembly authentic awesome beautiful best better bestseller brand buy
  can cheap cheapest combo comfortable comfy cool cost cute deal deals discount discounted each easy equipment excellent
  expensive extra favorite favourite find fine free genuine get good great high quality i idea ideas inexpensive instructions item
  items kind kit kits like looking lovely manual me most my need new newest nice no not offer offers official one only online
  order original other over pack packs part parts perfect pick piece pieces please pop popular premium price priced prices
  product products quality rated really recommended replacement sale set sets shop shopping show size sized sizes some
  something special store style styles super supplies supply system systems thing things three tool tools top type types
  two under unit unique up us used very want where without
`);

const colours = `
  amber aqua azure beige black blue bronze brown burgundy charcoal chartreuse coral cream cyan dark denim ecru fuchsia gold
  golden gray green grey indigo ivory khaki lavender light lilac lime magenta maroon mauve mint multicolor multicolour mustard
  navy neon nude ochre olive orange pastel peach pink plum purple red rose rust salmon sand scarlet silver tan taupe teal
  turquoise violet white yellow
`;

const materials = `
  acrylic aluminium aluminum bamboo brass canvas cardboard cashmere cast cedar ceramic cherry chrome concrete copper cork cotton
  crystal denim diamond enamel espresso fabric felt fleece fur galvanized glass granite iron jute lace laminate leather linen
  mahogany maple marble mesh metal microfiber microfibre mohair nickel nylon oak paper pine plastic plywood polycarbonate
  polyester polyurethane porcelain pvc quartz rattan resin rope rubber satin seagrass sheepskin silicone silk slate stainless
  steel stone stoneware straw suede synthetic teak terracotta timber titanium tin tweed velvet vinyl walnut wax wicker wood
  wooden wool woolen woollen zinc
`;

const shapes = `
  adjustable ankle antique automatic baggy big bright brushed casual chunky clear compact cordless corded corner curved deep
  detachable digital disposable double dry dual duty electric electrical electronic ergonomic exterior extendable fancy fast
  flat flexible floral foldable folding fresh frosted full gas giant half handheld handmade hanging heated heavy hollow hot
  huge indoor inflatable insulated integrated interior jumbo kingsize knitted large left lightweight little long loose low
  luxury manual matt matte medium mechanical mini minimalist mobile modern multi narrow natural noise oil organic outdoor oval
  oversized padded patterned plain plus pointed polished portable printed queen quick quiet rechargeable rectangular reusable
  right retro reversible round rubbed rustic safe self semi sharp short shiny silent simple single skinny sleeveless slim
  small smart smooth soft solar solid square stackable standard sticky stretch striped strong sturdy tall textured thick
  thin tight tiny traditional transparent travel triple twin universal upright vertical vintage warm washable waterproof wide
  wired wireless xl xs xxl
`;

const people = `
  adult adults beginner beginners boy boyfriend boys brother child children couple dad father female
  friend friends gent gentlemen gents girl girlfriend girls grandma grandpa guests guys her him husband junior kid
  kids ladies lady male man men mens mom mother mum people professional runner runners senior seniors sister
  student students teen teens unisex wife wives woman women womens youth
`;

const animals = `
  baby babies cat cats dog dogs infant infants newborn pet pets toddler toddlers
`;

const places = `
  apartment attic autumn backyard balcony basement bathroom beach bedroom birthday boat camping caravan christmas city classroom
  commuting cooking cycling desk dining easter entrance everyday evening fall festival fishing flight fitness garage garden
  gaming gift gifts graduation gym halloween hallway hiking holiday holidays home hotel house hunting jogging kitchen lawn
  living meeting morning mountain nature nursery office party patio picnic playroom porch present presents reading
  restaurant road room running sailing school skiing sleeping spring sport sports stairs study summer swimming
  terrace trail training travelling valentines vacation wall walking wedding weekend winter work workout workshop yoga
`;

export const englishLists: WordLists = {
  functionWords,
  linkingWords,
  lightWords,
  attributeWords: wordSet(`${colours} ${materials} ${shapes} ${people} ${animals} ${places}`),
  useWords: wordSet(`${people} ${places}`),
  definingWords: wordSet(animals),
  thingTerms: new Set(Array.from(englishThings, termOf)),
  thingWords: englishThings,
};
