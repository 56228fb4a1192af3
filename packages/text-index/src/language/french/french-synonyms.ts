/** Everyday shopping French, in the format of `pnpm api synonyms import`. */
export const frenchSynonyms = `
canapé, sofa, divan
canapé-lit, canapé convertible
fauteuil => siège
luminaire => lampe
lampadaire, lampe sur pied
suspension => lampe
armoire, penderie
commode, buffet
rideau => voilage
tapis => carpette
coussin, oreiller
couette, édredon
plaid, couverture
tasse, mug
gourde, bouteille isotherme
casserole, marmite
poêle, sauteuse
cafetière, machine à café
bouilloire, théière
réfrigérateur, frigo
mixeur, blender
pull, pullover, chandail
sweat à capuche, hoodie
gilet, cardigan
veste, blouson
manteau => parka
pantalon => jean
jean, denim
tee-shirt, t-shirt
culotte, slip
survêtement, jogging
baskets, sneakers, tennis
chaussures de course, chaussures de running
chaussures de randonnée, chaussures de marche
bottes => bottines
chaussons, pantoufles
bonnet => chapeau
gants, moufles
écharpe, foulard
sac à dos, backpack
valise, bagage
portefeuille, porte-monnaie
sac à main => sac bandoulière
montre, montre bracelet
collier, chaîne
téléphone, smartphone, portable
ordinateur portable, laptop
télévision, télé, tv, téléviseur
écran, moniteur
casque, écouteurs
enceinte, haut-parleur
chargeur, câble de charge
appareil photo, caméra
vélo, bicyclette
haltère, poids
perceuse, visseuse
sèche-cheveux, séchoir
rasoir, tondeuse
crème solaire => protection solaire
parapluie, ombrelle
jouet, jeu
stylo => crayon
`;
