const client = require("@product-search/client");
const program = require("./program.cjs");

program(client);
