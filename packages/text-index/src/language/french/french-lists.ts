import { foldedWords, withEndings } from "../inflect.ts";
import type { WordLists } from "../word-lists.ts";
import { frenchStem } from "./french-stem.ts";

const adjectiveEndings = ["", "s", "e", "es"];

const functionWords = foldedWords(`
  le la les l un une des du de d et ou avec pour par en dans sur sous au aux à est sont qui que ce cette ces son sa ses mon ma mes
  votre vos plus pas ne se il elle
`);

const linkingWords = foldedWords("avec pour sans de d du des en à au aux par sur dans contre");

const lightWords = [
  ...foldedWords(`
    accessoire accessoires article articles offre offres lot lots pièce pièces acheter commander cherche recherche voudrais veux
    besoin quelque chose produit produits marque original prix promo promotion solde soldes bon bonne bons bonnes marché pas cher
    chère chers pratique meilleur meilleure meilleurs meilleures nouveau nouvelle nouveaux nouvelles beau belle beaux belles type
    qualité top très deux trois système montrez moi je svp kit ensemble set
  `),
];

const colours = [
  ...withEndings(
    "rouge jaune rose orange violet bleu vert noir gris brun beige marron turquoise doré argenté cuivré",
    adjectiveEndings,
  ),
  ...foldedWords("blanc blanche blancs blanches violette violettes anthracite crème kaki bordeaux"),
];

const materials = foldedWords(`
  cuir bois métal acier inox verre coton laine lin soie velours plastique chêne hêtre pin noyer bambou rotin marbre laiton cuivre
  aluminium fer fonte porcelaine céramique grès béton pierre feutre cachemire mérinos polyester nylon caoutchouc silicone papier
  carton liège jute daim titane
`);

const shapes = [
  ...withEndings(
    `grand petit haut étroit rond ovale rectangulaire épais fin léger lourd dur mou souple solide pliable pliant portable réglable
     extensible étanche imperméable électrique automatique manuel numérique chaud froid mat brillant imprimé moderne ancien rustique
     scandinave minimaliste respirant rembourré doublé isotherme rechargeable durable large bas court plat profond confortable
     ergonomique robuste mobile mini universel vintage`,
    adjectiveEndings,
  ),
  ...foldedWords(
    "carré carrée carrés carrées long longue longs longues légère légères épaisse basse basses sec sèche",
  ),
];

const people = foldedWords(`
  femme femmes homme hommes enfant enfants fille filles garçon garçons adulte adultes unisexe
  débutant débutants mère père ami amie invités famille
`);

const animals = foldedWords("bébé bébés chien chiens chat chats");

const places = foldedWords(`
  bureau cuisine salle bain chambre salon entrée cave jardin balcon terrasse garage voiture voyage vacances plage camping randonnée
  course running natation vélo sport fitness yoga école travail quotidien hiver été printemps automne noël anniversaire mariage
  cadeau cadeaux fête extérieur intérieur maison appartement
`);

const things = foldedWords(`
  lampe lampes table tables chaise chaises fauteuil fauteuils canapé canapés lit lits étagère étagères armoire armoires commode
  tabouret banc tapis coussin coussins couverture couvertures rideau rideaux miroir montre montres horloge réveil cadre vase vases
  bougie bougies casserole casseroles poêle poêles couteau couteaux fourchette cuillère couverts assiette assiettes tasse tasses mug
  bol bols verre verres théière bouteille bouteilles gourde boîte panier seau balai serviette serviettes drap draps matelas mixeur
  bouilloire cafetière réfrigérateur frigo four aspirateur fer ventilateur pantalon pantalons jean jupe jupes robe robes chemise
  chemises chemisier pull pulls gilet veste vestes manteau manteaux costume écharpe bonnet chapeau gants gant chaussette chaussettes
  culotte chaussure chaussures botte bottes bottines sandales chaussons baskets ceinture sac sacs valise valises portefeuille
  lunettes collier bague boucles bracelet bijou bijoux téléphone portable ordinateur écran télévision clavier souris imprimante
  casque casques enceinte appareil chargeur câble batterie pile vélo vélos ballon tente haltère raquette guitare guitares piano
  tambour flûte violon livre livres cahier stylo stylos poupée jouet jouets marteau pince scie perceuse vis tournevis clou échelle
  peinture pinceau colle savon shampoing crème brosse parfum rasoir ciseaux couche couches poussette fleur fleurs plante plantes
  tondeuse thé café vin chocolat fromage pain huile miel parapluie porte robinet évier douche maillot bureau
`);

export const frenchLists: WordLists = {
  functionWords: new Set(functionWords),
  linkingWords: new Set(linkingWords),
  lightWords: new Set(lightWords),
  attributeWords: new Set([...colours, ...materials, ...shapes, ...people, ...animals, ...places]),
  useWords: new Set([...people, ...places]),
  definingWords: new Set(animals),
  thingTerms: new Set(things.map(frenchStem)),
  thingWords: new Set(things),
};
