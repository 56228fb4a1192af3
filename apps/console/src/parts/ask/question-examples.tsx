import { useQuestionExamples } from "../../service/catalog/use-question-examples.ts";
import { ProductImage } from "../product/product-image.tsx";

/** Questions to begin with, of the catalog that is loaded, each with one of its products. */
export function QuestionExamples({ onAsk }: { onAsk: (query: string) => void }) {
  const examples = useQuestionExamples();
  return (
    <section aria-labelledby="examples-title">
      <h2 id="examples-title" className="visually-hidden">
        Examples
      </h2>
      <ul className="question-examples" aria-busy={examples === undefined}>
        {examples?.map(({ text, image }) => (
          <li key={text}>
            <button type="button" onClick={() => onAsk(text)}>
              <ProductImage src={image} />
              <span>{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
