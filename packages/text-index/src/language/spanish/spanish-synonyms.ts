/** Everyday shopping Spanish, in the format of `pnpm api synonyms import`. */
export const spanishSynonyms = `
sofá, diván
sofá cama, sofá convertible
sillón, butaca
lámpara, luz
lámpara de pie => lámpara
armario, ropero
cómoda, aparador
estantería, librería, estante
cortina, visillo
alfombra, moqueta
cojín, almohada
edredón, nórdico
manta, cobija
taza, mug
botella, cantimplora, termo
olla, cazuela, cacerola
sartén, paella
cafetera, máquina de café
hervidor, tetera
nevera, frigorífico, refrigerador
batidora, licuadora
jersey, suéter, pulóver
sudadera con capucha, hoodie
chaqueta, cazadora
rebeca, cárdigan
abrigo => parka
pantalón, pantalones
vaqueros, jeans, tejanos
camiseta, playera
zapatillas, deportivas, tenis
zapatillas de correr, zapatillas de running
botas de montaña, botas de senderismo
botas => botines
pantuflas, zapatillas de casa
gorro => sombrero
guantes, manoplas
bufanda, pañuelo
mochila, backpack
maleta, valija
cartera, billetera, monedero
bolso => bandolera
reloj, reloj de pulsera
collar, cadena
pendientes, aretes
móvil, celular, smartphone, teléfono
portátil, ordenador portátil, laptop
ordenador, computadora
televisor, televisión, tele, tv
pantalla, monitor
auriculares, cascos
altavoz, parlante
cargador, cable de carga
cámara, cámara de fotos
bicicleta, bici
mancuerna, pesa
taladro, taladradora
secador, secador de pelo
maquinilla, afeitadora
protector solar, crema solar
paraguas, sombrilla
juguete, juego
bolígrafo => lápiz
gafas de sol => gafas
`;
