/** The same products in German and English, one per line: number, German name, English name. Written for this evaluation. */
const catalog = `
1 | Schreibtischlampe aus Messing mit Dimmer | Brass Desk Lamp with Dimmer
2 | LED-Schreibtischleuchte, weiß | LED Desk Light, White
3 | Stehlampe Dreibein aus Eichenholz | Tripod Floor Lamp of Oak
4 | Tischlampe mit Leinenschirm | Table Lamp with Linen Shade
5 | Nachttischlampe für Kinder, blau | Bedside Lamp for Kids, Blue
6 | Höhenverstellbarer Schreibtisch, 160 cm | Standing Desk, 160 cm
7 | Kinderschreibtisch mit Schublade | Kids' Desk with Drawer
8 | Esstisch aus massiver Eiche, ausziehbar | Extendable Dining Table of Solid Oak
9 | Couchtisch rund, schwarz | Round Coffee Table, Black
10 | Gartentisch klappbar aus Akazie | Folding Garden Table of Acacia
11 | Bürostuhl ergonomisch mit Armlehnen | Ergonomic Office Chair with Armrests
12 | Küchenstühle, 4er-Set, grau | Kitchen Chairs, Set of 4, Gray
13 | Klappstuhl für Camping | Folding Chair for Camping
14 | Schaukelstuhl aus Rattan | Rattan Rocking Chair
15 | Bücherregal mit fünf Böden, weiß | White Bookshelf with Five Shelves
16 | Wandregal aus Walnuss | Walnut Wall Shelf
17 | Schuhregal für 12 Paar | Shoe Rack for 12 Pairs
18 | Kleiderschrank mit Spiegel | Wardrobe with Mirror
19 | Badezimmerspiegel mit Beleuchtung | Bathroom Mirror with Light
20 | Schlafsofa grau für zwei Personen | Gray Sofa Bed for Two
21 | Ecksofa aus Samt, dunkelgrün | Velvet Corner Sofa, Dark Green
22 | Wollteppich handgewebt 200 x 300 cm | Handwoven Wool Rug 200 x 300 cm
23 | Badteppich rutschfest | Non-slip Bath Rug
24 | Kuscheldecke aus Fleece | Fleece Throw Blanket
25 | Bettdecke für den Winter | Winter Comforter
26 | Kopfkissen aus Daunen | Down Pillow
27 | Blumenvase aus Glas | Glass Flower Vase
28 | Duftkerzen im Glas, 3 Stück | Scented Candles in a Jar, 3 Pieces
29 | Wanduhr ohne Ticken | Silent Wall Clock
30 | Herrenarmbanduhr aus Edelstahl | Men's Stainless Steel Wrist Watch
31 | Damenuhr mit Lederarmband | Ladies' Watch with Leather Strap
32 | Küchenmesser aus Damaststahl | Damascus Steel Kitchen Knife
33 | Brotmesser mit Holzgriff | Bread Knife with Wooden Handle
34 | Taschenmesser mit Säge | Pocket Knife with Saw
35 | Bratpfanne 28 cm, beschichtet | Nonstick Frying Pan 28 cm
36 | Gusseiserner Kochtopf 5 l | Cast Iron Cooking Pot 5 l
37 | Kaffeetassen aus Steingut, 6er-Set | Stoneware Coffee Cups, Set of 6
38 | Teetasse mit Sieb | Tea Cup with Strainer
39 | Teekanne aus Gusseisen | Cast Iron Teapot
40 | Kaffeemaschine mit Mahlwerk | Coffee Machine with Grinder
41 | Wasserkocher 1,7 l, Edelstahl | Electric Kettle 1.7 l, Stainless Steel
42 | Thermosflasche 750 ml | Insulated Bottle 750 ml
43 | Trinkflasche für Kinder mit Strohhalm | Kids' Drinking Bottle with Straw
44 | Salatschüssel aus Bambus | Bamboo Salad Bowl
45 | Schneidebrett aus Buche | Beech Cutting Board
46 | Laufschuhe für Damen, gedämpft | Cushioned Running Shoes for Women
47 | Trail-Laufschuhe für Herren, wasserdicht | Waterproof Trail Running Shoes for Men
48 | Wanderschuhe aus Leder, knöchelhoch | Leather Hiking Shoes, Ankle-High
49 | Kinderschuhe mit Klettverschluss | Kids' Shoes with Velcro
50 | Winterstiefel gefüttert für Damen | Lined Winter Boots for Women
51 | Gummistiefel für Kinder, gelb | Kids' Rubber Boots, Yellow
52 | Hausschuhe aus Filz | Felt Slippers
53 | Ledersandalen braun | Brown Leather Sandals
54 | Regenjacke für Herren, atmungsaktiv | Breathable Rain Jacket for Men
55 | Winterjacke mit Kapuze, schwarz | Black Winter Jacket with Hood
56 | Lederjacke für Damen | Leather Jacket for Women
57 | Fleecejacke für Kinder | Kids' Fleece Jacket
58 | Wollmantel lang, kamelfarben | Long Wool Coat, Camel
59 | Strickjacke aus Merinowolle | Merino Wool Cardigan
60 | Kapuzenpullover aus Baumwolle | Cotton Hoodie
61 | Rollkragenpullover grau | Gray Turtleneck Sweater
62 | Herrenhemd bügelfrei, hellblau | Men's Non-iron Shirt, Light Blue
63 | Leinenhemd weiß | White Linen Shirt
64 | Sommerkleid mit Blumenmuster | Summer Dress with Floral Print
65 | Abendkleid rot | Red Evening Dress
66 | Jeanshose gerade geschnitten | Straight Cut Jeans
67 | Wanderhose mit Reißverschluss | Hiking Pants with Zipper
68 | Wollmütze gestrickt | Knitted Wool Hat
69 | Lederhandschuhe mit Futter | Lined Leather Gloves
70 | Fahrradhandschuhe mit Polster | Padded Bike Gloves
71 | Wandersocken, 2 Paar | Hiking Socks, 2 Pairs
72 | Ledergürtel schwarz | Black Leather Belt
73 | Umhängetasche aus Canvas | Canvas Shoulder Bag
74 | Ledertasche für Laptop 15 Zoll | Leather Laptop Bag 15 inch
75 | Reisetasche mit Rollen | Travel Bag with Wheels
76 | Wanderrucksack 40 l | Hiking Backpack 40 l
77 | Schulrucksack für Mädchen | School Backpack for Girls
78 | Handgepäckkoffer mit TSA-Schloss | Carry-on Suitcase with TSA Lock
79 | Geldbörse aus Leder, klein | Small Leather Wallet
80 | Sonnenbrille polarisiert | Polarized Sunglasses
81 | Silberkette mit Anhänger | Silver Necklace with Pendant
82 | Ohrringe aus Gold, rund | Round Gold Earrings
83 | Kopfhörer mit Geräuschunterdrückung | Noise Cancelling Headphones
84 | Bluetooth-Lautsprecher wasserfest | Waterproof Bluetooth Speaker
85 | Tastatur kabellos, deutsch | Wireless Keyboard, German
86 | Mausunterlage groß | Large Mouse Pad
87 | Ladegerät USB-C 65 W | USB-C Charger 65 W
88 | Handyhülle aus Silikon | Silicone Phone Case
89 | Fahrradhelm für Erwachsene | Bike Helmet for Adults
90 | Kinderfahrrad 16 Zoll, rot | Kids' Bike 16 inch, Red
91 | Fahrradschloss mit Schlüssel | Bike Lock with Key
92 | Yogamatte rutschfest | Non-slip Yoga Mat
93 | Kurzhanteln 2 x 5 kg | Dumbbells 2 x 5 kg
94 | Zelt für vier Personen | Tent for Four
95 | Schlafsack bis minus 5 Grad | Sleeping Bag to Minus 5 Degrees
96 | Akkubohrmaschine 18 V | Cordless Drill 18 V
97 | Schraubendreherset, 12-teilig | Screwdriver Set, 12 Pieces
98 | Gartenschlauch 20 m | Garden Hose 20 m
99 | Regenschirm automatisch | Automatic Umbrella
100 | Handtücher aus Baumwolle, 4 Stück | Cotton Towels, 4 Pieces
101 | Küchenhandtuch kariert | Checked Kitchen Towel
102 | Haarbürste aus Holz | Wooden Hairbrush
103 | Zahnbürste elektrisch | Electric Toothbrush
104 | Elastische Binde | Elastic Bandage
105 | Holzpuzzle für Kleinkinder | Wooden Puzzle for Toddlers
106 | Puppenwagen rosa | Pink Doll Stroller
107 | Akustikgitarre für Anfänger | Acoustic Guitar for Beginners
108 | Notizbuch liniert A5 | Lined Notebook A5
`;

/** German query, English query, and the numbers of the relevant products: the most relevant ones before a semicolon. */
const queries = `
lampe | lamp | 1 2 3 4 5
lampen | lamps | 1 2 3 4 5
schreibtischlampe | desk lamp | 1 2 ; 5 4
lampe für den schreibtisch | lamp for the desk | 1 2 ; 4 5
stehlampe | floor lamp | 3 ; 1 2 4 5
schreibtisch | desk | 6 7
tisch | table | 8 9 10 ; 6 7
tische aus eiche | tables of oak | 8
runder couchtisch | round coffee table | 9
stuhl | chair | 11 12 13 14
stühle für die küche | chairs for the kitchen | 12
bürostühle | office chairs | 11
regal | shelf | 15 16 17
regal für bücher | shelf for books | 15
spiegel | mirror | 19 ; 18
sofa | sofa | 20 21
graue couch | gray couch | 20
teppich | rug | 22 23
decke | blanket | 24 25
uhr | watch | 30 31 29
armbanduhr herren | mens wrist watch | 30 ; 31
damenuhren | ladies watches | 31
messer | knife | 32 33 34
messer für die küche | knife for the kitchen | 32
kaffeetasse | coffee cup | 37 ; 38
tassen | cups | 37 38
topf | pot | 36
flasche | bottle | 42 43
brett | board | 45
schuhe | shoes | 46 47 48 49 52
laufschuhe | running shoes | 46 47
schuhe zum laufen | shoes for running | 46 47
kinder schuhe | kids shoes | 49 ; 51
damenstiefel | womens boots | 50
wasserdichte schuhe | waterproof shoes | 47
jacke | jacket | 54 55 56 57 59
regenjacken herren | mens rain jackets | 54
schwarze jacke | black jacket | 55
mantel aus wolle | wool coat | 58
pullover | sweater | 61 60 59
hemd | shirt | 62 63
weißes hemd | white shirt | 63
kleider | dresses | 64 65
rotes kleid | red dress | 65
hose | pants | 66 67
handschuhe | gloves | 69 70
mütze | hat | 68
gürtel | belt | 72
tasche | bag | 73 74 75
ledertaschen | leather bags | 74
rucksack | backpack | 76 77
rucksäcke zum wandern | backpacks for hiking | 76
koffer | suitcase | 78
kette | necklace | 81
fahrrad für kinder | bike for kids | 90
fahrradhelme | bike helmets | 89
schloss fürs fahrrad | lock for a bike | 91
bohrmaschine | drill | 96
schraubenzieher | screwdriver | 97
schlauch | hose | 98
handtuch | towel | 100 101
bürste | brush | 102 103
gitarre | guitar | 107
kuechenmesser | kitchen knives | 32 ; 33
schreibtishlampe | desk lmap | 1 2
buch | book | 108
`;

export interface ParallelQuery {
  readonly german: string;
  readonly english: string;
  /** The gain of each relevant product. */
  readonly gains: ReadonlyMap<number, number>;
}

const rows = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));

const numbers = (text: string) => text.trim().split(/\s+/).filter(Boolean).map(Number);

export const parallelProducts = rows(catalog).map(([id = "", german = "", english = ""]) => ({
  id: Number(id),
  german,
  english,
}));

export const parallelQueries = rows(queries).map(
  ([german = "", english = "", relevant = ""]): ParallelQuery => {
    const [best = "", good = ""] = relevant.split(";");
    const gains = [
      ...numbers(best).map((id) => [id, 2] as const),
      ...numbers(good).map((id) => [id, 1] as const),
    ];
    return { german, english, gains: new Map(gains) };
  },
);
