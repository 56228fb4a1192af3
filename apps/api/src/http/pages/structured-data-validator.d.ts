// The packages of the validator have no types. Only what the tests use is declared.

declare module "@marbec/web-auto-extractor" {
  export default class WebAutoExtractor {
    constructor(options: { addLocation: boolean; embedSource: readonly string[] });
    parse(html: string): { jsonld: Readonly<Record<string, readonly object[]>>; errors: readonly object[] };
  }
}

declare module "@adobe/structured-data-validator" {
  export interface Issue {
    severity: "ERROR" | "WARNING";
    issueMessage: string;
    path: readonly object[];
  }
  export default class Validator {
    validate(data: object): Promise<Issue[]>;
  }
}
