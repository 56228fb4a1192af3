import { foldedWords, withEndings } from "../inflect.ts";
import type { WordLists } from "../word-lists.ts";
import { germanStem } from "./german-stem.ts";

const adjectiveEndings = ["", "e", "en", "er", "es", "em"];

const functionWords = foldedWords(`
  der die das den dem des ein eine einen einem einer eines und oder mit für fürs von vom zu zum zur in im ins an am auf aus bei
  beim ist sind als auch sich nicht so wie bis durch um über unter nach vor dein deine deinen mein meine meinen ihr ihre fuer
`);

const linkingWords = foldedWords(
  "für fuer fürs mit ohne unter von vom aus zum zur bei gegen auf am an im in",
);

const lightWords = [
  ...foldedWords(`
    zubehör artikel angebot angebote set sets stück stk kaufen bestellen online shop suche suchen möchte brauche bitte was etwas
    ding dinge produkt produkte marke original preis preise sale rabatt günstig billig billige billiger preiswert top sehr gut
    art arten teil teile system qualität neuheit neuheiten geeignet ideal passend inkl inklusive pack packung zwei drei
    gern gerne auch noch wirklich ab alle alles zeig zeige mir ich wir suchst
  `),
  ...withEndings(
    "neu schön gut best toll beliebt hochwertig praktisch besonder verschieden ander super bequem einfach perfekt ganz",
    adjectiveEndings,
  ),
];

const colours = [
  ...withEndings(
    `rot blau grün gelb schwarz weiß grau braun violett lila orange rosa rosé türkis beige silber silbern gold golden kupfern bunt
     anthrazit marineblau dunkelblau hellblau dunkelgrün hellgrün dunkelgrau hellgrau dunkelbraun weinrot cremeweiß olivgrün`,
    adjectiveEndings,
  ),
];

const materials = [
  ...foldedWords(`
    leder holz metall stahl edelstahl glas baumwolle wolle leinen seide samt kunststoff plastik eiche buche kiefer nussbaum esche
    bambus rattan marmor messing kupfer aluminium alu eisen gusseisen porzellan keramik steingut ton beton stein filz fleece
    kaschmir merino polyester nylon gummi silikon papier karton kork jute wildleder kunstleder massivholz canvas titan
  `),
  ...withEndings("hölzern gläsern ledern wollen metallen steinern", adjectiveEndings),
];

const shapes = withEndings(
  `groß klein lang kurz breit schmal hoch niedrig rund eckig oval quadratisch rechteckig dick dünn leicht schwer weich hart stabil
   faltbar klappbar tragbar verstellbar höhenverstellbar ausziehbar wasserdicht wasserfest wasserabweisend kabellos drahtlos
   elektrisch automatisch manuell digital analog tief flach warm kalt matt glänzend gemustert gestreift geblümt bedruckt modern
   klassisch antik rustikal skandinavisch minimalistisch handgemacht atmungsaktiv gepolstert gefüttert isoliert wiederaufladbar
   dimmbar spülmaschinenfest rostfrei nachhaltig vegan schlank eng weit gerade ärmellos langärmelig kurzärmelig ergonomisch
   robust leise universal mobil mini`,
  adjectiveEndings,
);

const people = foldedWords(`
  damen herren frau frauen mann männer kinder kind jungen junge mädchen erwachsene erwachsener unisex
  anfänger läufer mutter vater freund freundin oma opa gäste familie senioren teenager jugendliche profi profis
`);

const animals = foldedWords("baby babys hund hunde katze katzen");

const places = foldedWords(`
  büro küche bad badezimmer schlafzimmer wohnzimmer kinderzimmer esszimmer flur keller garten balkon terrasse garage auto reise
  reisen urlaub strand camping wandern laufen joggen schwimmen radfahren sport fitness yoga schule arbeit alltag winter sommer
  frühling herbst weihnachten ostern geburtstag hochzeit geschenk geschenke party outdoor draußen drinnen zuhause haus wohnung
`);

const things = foldedWords(`
  lampe lampen leuchte leuchten tisch tische stuhl stühle sessel sofa couch bett betten regal regale schrank schränke kommode
  kommoden hocker bank bänke teppich teppiche kissen decke decken vorhang vorhänge gardine gardinen spiegel uhr uhren wecker bild
  bilder rahmen vase vasen kerze kerzen topf töpfe pfanne pfannen messer gabel gabeln löffel besteck teller tasse tassen becher
  schüssel schüsseln schale schalen glas gläser kanne kannen flasche flaschen dose dosen korb körbe kiste kisten box boxen eimer
  besen handtuch handtücher bettwäsche matratze matratzen mixer toaster wasserkocher kaffeemaschine kühlschrank herd ofen backofen
  spülmaschine waschmaschine staubsauger bügeleisen ventilator heizung hose hosen jeans rock röcke kleid kleider hemd hemden bluse
  blusen pullover pulli strickjacke jacke jacken mantel mäntel anzug anzüge weste schal schals mütze mützen hut hüte handschuh
  handschuhe socken strumpf strümpfe unterhose unterwäsche bh schuh schuhe stiefel stiefeletten sandalen hausschuhe pantoffeln
  turnschuhe sneaker laufschuhe wanderschuhe gürtel tasche taschen rucksack rucksäcke koffer geldbörse geldbeutel portemonnaie
  brille brillen sonnenbrille sonnenbrillen kette ketten ring ringe ohrring ohrringe armband armbänder schmuck handy telefon
  laptop notebook computer rechner monitor bildschirm fernseher tastatur maus drucker kopfhörer lautsprecher kamera kameras
  ladegerät kabel akku batterie batterien fahrrad fahrräder helm helme ball bälle zelt zelte schlafsack hantel hanteln schläger
  gitarre gitarren klavier trommel flöte geige buch bücher heft stift stifte kalender puppe puppen spielzeug puzzle bauklötze
  hammer zange säge bohrer bohrmaschine schraube schrauben schraubenzieher schraubendreher nagel nägel leiter farbe pinsel kleber
  seife shampoo creme zahnbürste zahnpasta parfüm rasierer föhn schere kamm bürste windel windeln kinderwagen schnuller
  blume blumen pflanze pflanzen erde dünger schlauch rasenmäher grill tee kaffee wein bier schokolade käse brot öl honig
  regenschirm schirm tür griff griffe hahn armatur dusche wanne waschbecken toilette sieb reibe brett ständer halter haken
  t-shirt shirt top tops leggings shorts badehose bikini badeanzug
`);

export const germanLists: WordLists = {
  functionWords: new Set(functionWords),
  linkingWords: new Set(linkingWords),
  lightWords: new Set(lightWords),
  attributeWords: new Set([...colours, ...materials, ...shapes, ...people, ...animals, ...places]),
  useWords: new Set([...people, ...places]),
  definingWords: new Set(animals),
  thingTerms: new Set(things.map(germanStem)),
  thingWords: new Set(things),
};
