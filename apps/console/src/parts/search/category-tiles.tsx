import { formatCount } from "../../service/format.ts";
import type { CategorySample, CategorySamples } from "../../service/search/use-catalog.ts";
import { ErrorNotice } from "../notice.tsx";
import { ProductImage } from "../product/product-grid.tsx";

/** Two rows of five on a wide screen. */
const maxLarge = 10;

/** As many fill the room of two rows with one. */
const maxFew = 6;

interface CategoryTilesProps {
  categories: CategorySamples;
  title: string;
  /** Large images where they are what one chooses by; then categories without one are left out. */
  isLarge?: boolean;
  onChoose: (sample: CategorySample) => void;
}

/** The largest categories to begin with, in a place of fixed height: nothing moves when they come. */
export function CategoryTiles({ categories, title, isLarge = false, onChoose }: CategoryTilesProps) {
  const { samples = [], error, retry } = categories;
  const shown = isLarge ? samples.filter(({ product }) => product !== undefined).slice(0, maxLarge) : samples;
  const isFew = shown.length > 0 && shown.length <= maxFew;
  const listStyle = isLarge ? "large" : isFew ? "few" : "";
  return (
    <section aria-labelledby="categories">
      <h2 id="categories" className="section-title">
        {title}
      </h2>
      {error !== undefined && <ErrorNotice error={error} onRetry={retry} />}
      <ul className={`categories ${listStyle}`}>
        {categories.samples !== undefined && shown.length === 0 && (
          <li className="muted">No categories to show.</li>
        )}
        {shown.map((sample) => (
          <li key={sample.category}>
            <button type="button" onClick={() => onChoose(sample)}>
              <ProductImage src={sample.product?.images[0]} />
              <span>
                <span dir="auto">{sample.category}</span>{" "}
                {!isLarge && <span className="muted">{formatCount(sample.count)}</span>}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
