import { foldedWords, withEndings } from "../inflect.ts";
import type { WordLists } from "../word-lists.ts";
import { spanishStem } from "./spanish-stem.ts";

const genders = ["o", "a", "os", "as"];
const plurals = ["", "s", "es"];

const functionWords = foldedWords(`
  el la los las un una unos unas de del y o con para por en al a es son que se su sus mi mis tu tus más no lo
`);

const linkingWords = foldedWords("con para sin de del en a al por sobre contra");

const lightWords = [
  ...foldedWords(`
    accesorio accesorios artículo artículos oferta ofertas juego juegos pieza piezas comprar busco quiero necesito algo cosa cosas
    producto productos marca original precio precios rebaja rebajas tipo calidad mejor mejores muy bien dos tres sistema kit set
    por favor ideal
  `),
  ...withEndings("nuev buen bonit barat práctic perfect", genders),
];

const colours = [
  ...withEndings("roj blanc negr amarill morad dorad platead anaranjad", genders),
  ...withEndings("azul gris marrón marron verde rosa naranja beige violeta turquesa burdeos", plurals),
];

const materials = foldedWords(`
  cuero piel madera metal acero inoxidable vidrio cristal algodón lana lino seda terciopelo plástico roble haya pino nogal bambú
  ratán mármol latón cobre aluminio hierro porcelana cerámica gres hormigón piedra fieltro cachemira merino poliéster nailon nylon
  goma caucho silicona papel cartón corcho yute ante titanio
`);

const shapes = [
  ...withEndings(
    `pequeñ larg cort anch estrech alt baj redond cuadrad gruess fin liger pesad dur bland eléctric automátic digitalizad
     modern clásic antigu rústic cálid frí acolchad forrad aislad ergonómic cómod robust estampad`,
    genders,
  ),
  ...withEndings(
    `grande plegable portátil ajustable extensible impermeable inalámbrico inalámbrica recargable transpirable mate brillante mini
     universal manual digital móvil resistente sostenible oval`,
    plurals,
  ),
];

const people = foldedWords(`
  mujer mujeres hombre hombres niño niños niña niñas chico chica adulto adultos unisex
  principiante principiantes madre padre amigo amiga invitados familia
`);

const animals = foldedWords("bebé bebés perro perros gato gatos");

const places = foldedWords(`
  oficina cocina baño dormitorio salón comedor entrada sótano jardín balcón terraza garaje coche viaje viajes vacaciones playa
  camping senderismo correr running natación ciclismo deporte fitness yoga escuela trabajo diario invierno verano primavera otoño
  navidad cumpleaños boda regalo regalos fiesta exterior interior casa apartamento escritorio
`);

const things = foldedWords(`
  lámpara lámparas mesa mesas silla sillas sillón sillones sofá sofás cama camas estantería estanterías armario armarios cómoda
  taburete taburetes banco alfombra alfombras cojín cojines manta mantas cortina cortinas espejo espejos reloj relojes despertador
  cuadro marco jarrón jarrones vela velas olla ollas sartén sartenes cuchillo cuchillos tenedor cuchara cubiertos plato platos taza
  tazas cuenco cuencos vaso vasos tetera botella botellas caja cajas cesta cestas cubo escoba toalla toallas sábana sábanas colchón
  batidora tostadora hervidor cafetera cafeteras nevera frigorífico horno aspiradora plancha ventilador pantalón pantalones vaqueros
  falda faldas vestido vestidos camisa camisas blusa blusas jersey jerseys suéter chaqueta chaquetas abrigo abrigos traje bufanda
  bufandas gorro gorros sombrero sombreros guantes guante calcetín calcetines ropa zapato zapatos zapatilla zapatillas bota botas
  botines sandalias cinturón cinturones bolso bolsos mochila mochilas maleta maletas cartera carteras gafas collar collares anillo
  anillos pendiente pendientes pulsera pulseras joya joyas teléfono móvil ordenador portátil pantalla televisor teclado ratón
  impresora auricular auriculares altavoz altavoces cámara cámaras cargador cable batería pila pilas bicicleta bicicletas casco
  cascos pelota balón tienda saco mancuerna mancuernas raqueta guitarra guitarras piano tambor flauta violín libro libros cuaderno
  bolígrafo lápiz muñeca juguete juguetes martillo alicates sierra taladro tornillo destornillador clavo escalera pintura pincel
  pegamento jabón champú crema cepillo perfume maquinilla tijeras pañal pañales cochecito flor flores planta plantas cortacésped té
  café vino cerveza chocolate queso pan aceite miel paraguas puerta grifo fregadero ducha camiseta camisetas bañador
`);

export const spanishLists: WordLists = {
  functionWords: new Set(functionWords),
  linkingWords: new Set(linkingWords),
  lightWords: new Set(lightWords),
  attributeWords: new Set([...colours, ...materials, ...shapes, ...people, ...animals, ...places]),
  useWords: new Set([...people, ...places]),
  definingWords: new Set(animals),
  thingTerms: new Set(things.map(spanishStem)),
  thingWords: new Set(things),
};
