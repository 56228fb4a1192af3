/** Everyday shopping German, in the format of `pnpm api synonyms import`. */
export const germanSynonyms = `
# Wohnen
sofa, couch
schlafsofa, schlafcouch, bettsofa
sessel, polstersessel
lampe, leuchte
stehlampe, stehleuchte
deckenlampe, deckenleuchte
tischlampe, tischleuchte
schreibtischlampe, schreibtischleuchte
hängelampe, pendelleuchte, hängeleuchte
kommode, sideboard
schrank, kleiderschrank
garderobe, kleiderständer
gardine, vorhang
teppich, läufer
nachttisch, nachtkästchen
kissen, polster
bettdecke, steppdecke
bettwäsche, bettbezug
decke => wolldecke, kuscheldecke
spiegel => wandspiegel
hocker => schemel
wecker => uhr

# Küche
tasse, becher, kaffeebecher
kochtopf, topf
bratpfanne, pfanne
wasserkocher, teekessel
mixer, standmixer
pürierstab, stabmixer
kaffeemaschine, kaffeeautomat
kühlschrank => kühlgerät
schneidebrett, schneidbrett
besteck => löffel, gabel, messer
thermosflasche, thermoskanne, isolierflasche
trinkflasche, wasserflasche

# Kleidung
pullover, pulli, sweater
hemd, oberhemd
t-shirt, shirt
jeans, jeanshose
strickjacke, cardigan
kapuzenpullover, hoodie, kapuzenpulli
hose => jeans
mütze => beanie, strickmütze
unterhose, slip
sakko, jackett, blazer
trainingsanzug, jogginganzug
turnschuhe, sneaker, sportschuhe
laufschuhe, joggingschuhe
wanderschuhe, wanderstiefel, trekkingschuhe
stiefel => stiefeletten
hausschuhe, pantoffeln
handschuhe => fäustlinge

# Taschen und Schmuck
rucksack, backpack
koffer, trolley
geldbörse, geldbeutel, portemonnaie, brieftasche
handtasche => umhängetasche, schultertasche
halskette, kette, collier
armbanduhr, uhr
sonnenbrille => brille

# Technik
handy, smartphone, mobiltelefon
laptop, notebook
fernseher, tv
monitor, bildschirm
kopfhörer, headset
lautsprecher, box
ladegerät, ladekabel
akku, batterie
computer, rechner
fotoapparat, kamera

# Freizeit, Werkzeug, Pflege
fahrrad, rad, bike
helm => fahrradhelm
hantel, kurzhantel
bohrmaschine, bohrer
schraubenzieher, schraubendreher
föhn, haartrockner
rasierer, rasierapparat
sonnencreme, sonnenmilch
regenschirm, schirm
spielzeug, spielwaren
geschenkpapier => papier
stift => kugelschreiber, bleistift
`;
