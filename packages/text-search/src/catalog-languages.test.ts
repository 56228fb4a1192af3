import { describe, expect, test } from "vitest";
import { languagesOfProducts } from "./catalog-languages.ts";

const named = (lines: string, description = "") =>
  lines
    .trim()
    .split("\n")
    .map((name) => ({ name: name.trim(), description }));

// Names of products as shops write them. The shops of the second table were written after the rules, and not looked at.
const shops = {
  "es ropa": `Vestido de niña con lunares
    Camiseta manga corta algodón orgánico
    Pantalón vaquero hombre azul
    Zapatillas de running para mujer
    Chaqueta impermeable con capucha
    Falda plisada negra
    Calcetines de lana (3 pares)
    Sudadera básica gris`,
  "de lampen": `Deckenleuchte LED rund 40 cm
    Stehlampe mit Stoffschirm
    LED-Röhre T8 120 cm
    Einbaustrahler schwenkbar weiß
    Tischleuchte aus Messing
    Außenwandleuchte mit Bewegungsmelder
    Pendelleuchte für den Esstisch
    Leuchtmittel E27 warmweiß`,
  "fr maison": `Lampe de bureau en bois
    Coussin en velours bleu canard
    Tapis rond pour le salon
    Rideau occultant gris perle
    Vase en céramique fait main
    Bougie parfumée à la lavande
    Assiette creuse en grès
    Plaid en laine avec franges`,
  "en tools": `Cordless Drill Driver 18V
    Hammer with Fibreglass Handle
    Adjustable Wrench 10 in
    Tape Measure 25 ft
    Socket Set for Cars
    Work Gloves, Large
    Step Ladder with Tray
    Utility Knife and Blades`,
};

const held = {
  "es ferretería": `Taladro percutor sin cable 18V
    Juego de destornilladores de precisión
    Martillo con mango de madera
    Cinta métrica 5 m
    Escalera de aluminio 6 peldaños
    Guantes de trabajo talla L
    Llave inglesa ajustable
    Caja de herramientas vacía`,
  "de kinder": `Kinderwagen mit Babyschale
    Schlafsack für Babys 90 cm
    Holzspielzeug Eisenbahn
    Bilderbuch über Tiere
    Regenjacke für Kinder gelb
    Hausschuhe aus Filz
    Trinkflasche ohne BPA
    Puppenhaus mit Möbeln`,
  "fr bébé": `Poussette pliante avec capote
    Biberon en verre 240 ml
    Gigoteuse pour bébé en coton
    Jouet de bain pour enfant
    Chaussures souples en cuir
    Livre d'images sur les animaux
    Table à langer en bois
    Doudou lapin gris`,
  "en garden": `Garden Hose with Nozzle 50 ft
    Pruning Shears for Roses
    Raised Bed in Cedar
    Bird Feeder, Squirrel Proof
    Potting Soil 20 qt
    Solar Path Lights (Set of 6)
    Watering Can and Tray
    Lawn Mower, Battery Powered`,
};

describe("the languages of a catalog", () => {
  test.each(Object.entries({ ...shops, ...held }))("are those of its names: %s", (shop, lines) => {
    expect(languagesOfProducts(named(lines))).toEqual([shop.slice(0, 2)]);
  });

  test("are several where a part of the products is in another language, most products first", () => {
    const mixed = [...named(shops["de lampen"]), ...named(held["de kinder"]), ...named(shops["fr maison"])];
    expect(languagesOfProducts(mixed)).toEqual(["de", "fr"]);
  });

  test("are told by the feed before the texts are asked", () => {
    const told = named(shops["en tools"]).map((product) => ({ ...product, language: "fr" }));
    expect(languagesOfProducts(told)).toEqual(["fr"]);
  });

  test("are none for few products, and for names that are in no language", () => {
    expect(languagesOfProducts(named("Vestido de niña con lunares\nFalda plisada negra"))).toEqual([]);
    expect(languagesOfProducts(named("QX-1200\nZephyr 3\nNord\nB07\nKX 9\nOrlo"))).toEqual([]);
  });
});
