// The inputs and outputs of the tools as JSON Schema 2020-12. The catalog's follow UCP's catalog capabilities: inputs are
// open, as there, so that platforms may send extensions; outputs say exactly what this service sends. The tests check every
// reply against these, and against UCP's own schemas of each version.

export interface ToolSchema {
  [keyword: string]: unknown;
  type: "object";
}

const text = (description: string, maxLength = 512) => ({ type: "string", description, maxLength });

export const maxIds = 50;
export const maxProducts = 50;

const filters = {
  type: "object",
  description: "All of them must hold.",
  properties: {
    categories: {
      type: "array",
      maxItems: 50,
      items: text("A category, as in the products' `categories`.", 200),
      description: "Any of these categories.",
    },
    price: {
      type: "object",
      description: "In minor units: 2000 is 20.00 in USD or EUR. Never relaxed.",
      properties: {
        min: { type: "integer", minimum: 0, maximum: 1e12 },
        max: { type: "integer", minimum: 0, maximum: 1e12 },
        currency: { type: "string", maxLength: 3, description: "The currency of the bounds." },
      },
    },
    brands: {
      type: "array",
      maxItems: 50,
      items: text("The name of a brand.", 200),
      description: "Any of these brands (an addition of this service).",
    },
    min_rating: {
      type: "number",
      minimum: 0,
      maximum: 5,
      description: "At least this average rating (an addition of this service).",
    },
    available: {
      type: "boolean",
      description: "true: only what can be bought now (an addition of this service).",
    },
    on_sale: {
      type: "boolean",
      description: "true: only what costs less than its original price (an addition of this service).",
    },
    ranges: {
      type: "object",
      maxProperties: 20,
      description:
        'Numbers of attributes, as in {"capacity": {"min": 1, "max": 2}}, in the unit that most of their values have (an addition of this service).',
      additionalProperties: {
        type: "object",
        properties: {
          min: { type: "number", minimum: -1e12, maximum: 1e12 },
          max: { type: "number", minimum: -1e12, maximum: 1e12 },
          unit: {
            type: "string",
            pattern: "^[^\\s,\\d+.\\[\\]()-][^\\s,\\[\\]()]{0,19}$",
            description: "Of both bounds, such as cm.",
          },
        },
      },
    },
  },
};

/** Read by UCP's platforms. Its currency says in which one prices are meant; the rest changes nothing here. */
const context = {
  type: "object",
  properties: { currency: { type: "string", pattern: "^[A-Z]{3}$" } },
};

const meta = {
  type: "object",
  description: "UCP's request metadata. Assistants can leave it out.",
};

const request = (required: readonly string[], properties: object): ToolSchema => ({
  type: "object",
  required: ["catalog"],
  properties: { meta, catalog: { type: "object", required, properties: { ...properties, context } } },
});

export const searchInput = request([], {
  query: {
    ...text("What to look for, in plain words, such as `red mug`. Either this or a filter is needed."),
    minLength: 1,
  },
  filters,
  pagination: {
    type: "object",
    properties: {
      cursor: text("The `cursor` of the former page.", 200),
      limit: { type: "integer", minimum: 1, default: 10, description: `At most ${maxProducts} are sent.` },
    },
  },
});

export const lookupInput = request(["ids"], {
  ids: {
    type: "array",
    minItems: 1,
    maxItems: maxIds,
    items: text("The `id` or the `sku` of a product."),
    description: `1 to ${maxIds} identifiers.`,
  },
  filters,
});

export const getProductInput = request(["id"], {
  id: text("The `id` or the `sku` of a product."),
  filters,
  selected: {
    type: "array",
    maxItems: 10,
    description: "What the customer chose among the product's `options`; narrows its variants.",
    items: {
      type: "object",
      required: ["name", "label"],
      properties: { name: text("The name of an option.", 50), label: text("A value of it.", 200) },
    },
  },
  preferences: {
    type: "array",
    maxItems: 10,
    items: text("The name of an option.", 50),
    description: "Options by importance: the last one is dropped first if nothing has all the values.",
  },
});

export const askInput: ToolSchema = {
  type: "object",
  required: ["question"],
  additionalProperties: false,
  properties: {
    question: {
      ...text("The question, such as `which running shoes under 80 are rated best?`"),
      minLength: 1,
      pattern: "\\S",
    },
    history: {
      type: "array",
      maxItems: 10,
      items: { ...text("An earlier question."), minLength: 1, pattern: "\\S" },
      description: "The earlier questions of the conversation, oldest first.",
    },
  },
};

const closed = (required: readonly string[], properties: object): ToolSchema => ({
  type: "object",
  required,
  additionalProperties: false,
  properties,
});
const list = (items: object, bounds: object = {}) => ({ type: "array", items, ...bounds });
const string = { type: "string" };
const address = { type: "string", format: "uri" };

const money = closed(["amount", "currency"], {
  amount: { type: "integer", minimum: 0, description: "In minor units of ISO 4217: 1250 is $12.50." },
  currency: { type: "string", pattern: "^[A-Z]{3}$" },
});
const description = closed(["plain"], { plain: string });
const ucp = closed(["version", "status", "capabilities"], {
  version: string,
  status: { enum: ["success", "error"] },
  capabilities: { type: "object", additionalProperties: list(closed(["version"], { version: string })) },
});
const message = {
  type: "object",
  required: ["type", "code", "content"],
  additionalProperties: false,
  properties: {
    type: { enum: ["info", "error"] },
    code: string,
    content: string,
    severity: { enum: ["recoverable", "unrecoverable"] },
  },
};
const messages = list(message, { minItems: 1 });

const option = closed(["name", "label"], { name: string, label: string });

const variant = closed(["id", "title", "description", "price", "availability", "seller", "sku", "url"], {
  id: string,
  title: string,
  description,
  price: money,
  list_price: { ...money, description: "What the seller states as the price before." },
  availability: closed(["available", "status"], {
    available: { type: "boolean" },
    status: { enum: ["in_stock", "out_of_stock", "preorder", "backorder"] },
  }),
  seller: closed(["name"], { name: string }),
  sku: string,
  url: address,
  options: list(option),
  barcodes: list(closed(["type", "value"], { type: { const: "GTIN" }, value: string })),
  inputs: list(closed(["id", "match"], { id: string, match: { const: "exact" } }), { minItems: 1 }),
});
const product = closed(["id", "handle", "title", "description", "url", "price_range", "variants"], {
  id: string,
  handle: string,
  title: string,
  description,
  url: address,
  price_range: closed(["min", "max"], { min: money, max: money }),
  variants: list(variant, { minItems: 1 }),
  media: list(
    closed(["type", "url", "alt_text"], { type: { const: "image" }, url: address, alt_text: string }),
  ),
  categories: list(closed(["value", "taxonomy"], { value: string, taxonomy: { const: "merchant" } })),
  rating: closed(["value", "scale_min", "scale_max"], {
    value: { type: "number", minimum: 0, maximum: 5 },
    scale_min: { const: 0 },
    scale_max: { const: 5 },
    count: { type: "integer", minimum: 1 },
  }),
  metadata: closed([], {
    brand: string,
    mpn: string,
    attributes: { type: "object", additionalProperties: list(string) },
  }),
  options: list(
    closed(["name", "values"], {
      name: string,
      values: list(
        closed(["label", "available", "exists"], {
          label: string,
          available: { type: "boolean" },
          exists: { type: "boolean" },
        }),
        { minItems: 1 },
      ),
    }),
  ),
  selected: list(option),
});

export const searchOutput = closed(["ucp", "products"], {
  ucp,
  products: list(product),
  pagination: closed(["has_next_page", "total_count"], {
    has_next_page: { type: "boolean" },
    total_count: { type: "integer", minimum: 0 },
    cursor: string,
  }),
  messages,
});
export const lookupOutput = closed(["ucp", "products"], { ucp, products: list(product), messages });
/** Without a product there is a message that says why. */
export const getProductOutput = closed(["ucp"], { ucp, product, messages });

export const askOutput = closed(["answer", "interpretation", "match_count", "products"], {
  answer: { type: "string", description: "Every product, price, brand and rating in it is in `products`." },
  interpretation: { type: "string", description: "How the question was understood." },
  match_count: { type: "integer", minimum: 0 },
  products: list(
    closed(["_id", "slug", "url", "title", "seller", "price"], {
      _id: string,
      key: string,
      slug: string,
      url: string,
      image: string,
      title: string,
      brand: string,
      seller: string,
      price: money,
      rating: { type: "number" },
    }),
  ),
});
