import { useState } from "react";
import { ProductImage } from "./product-image.tsx";

/** The images of a product: a large one, and small ones to choose it with. */
export function Gallery({ images, name }: { images: readonly string[]; name: string }) {
  const [chosen, setChosen] = useState(0);
  return (
    <div className="gallery">
      <ProductImage key={images[chosen]} src={images[chosen]} alt={name} />
      {images.length > 1 && (
        <ul aria-label="Images">
          {images.map((image, index) => (
            <li key={image}>
              <button
                type="button"
                aria-label={`Image ${index + 1} of ${images.length}`}
                aria-current={index === chosen}
                onClick={() => setChosen(index)}
              >
                <ProductImage src={image} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
