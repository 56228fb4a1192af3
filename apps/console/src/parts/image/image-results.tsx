import { useState } from "react";
import { type Box, cut, type ProductImage } from "../../service/image/images.ts";
import { useService } from "../../service/service-context.tsx";
import type { RequestSnippet } from "../../service/snippets.ts";
import { useRequest } from "../../service/use-request.ts";
import { DeveloperPanel } from "../developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../notice.tsx";
import { ProductCard } from "../product/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "../product/product-grid.tsx";
import { ImageWithBoxes } from "./image-with-boxes.tsx";

/** What to look for: the whole image, a detected object, or a part that was drawn. */
type Target = { kind: "whole" } | { kind: "object"; slug: string; box: Box } | { kind: "drawn"; box: Box };

/** The image with its objects on one side, what is similar to it or to a part of it on the other. */
export function ImageResults({ image }: { image: ProductImage }) {
  const { client, token } = useService();
  const [target, setTarget] = useState<Target>({ kind: "whole" });
  const search = useRequest(`${token} ${JSON.stringify(target)}`, async (signal) => {
    if (target.kind === "object") {
      const { Products } = await client.searchByImage({ imageId: target.slug }, { signal });
      return { slug: target.slug, Products };
    }
    const part = target.kind === "drawn" ? await cut(image.blob, target.box) : image.blob;
    const { slug } = await client.vectorizeImage(part, { signal });
    const { Products } = await client.searchByImage({ imageId: slug }, { signal });
    return { slug, Products };
  });
  const objects = useRequest(token, (signal) => client.detectObjects(image.blob, { signal }));

  return (
    <div className="image-layout">
      <section aria-labelledby="image-title">
        <h2 id="image-title">Your image</h2>
        {image.size ? (
          <ImageWithBoxes
            address={image.address}
            size={image.size}
            objects={objects.response?.detectedObjects ?? []}
            chosen={target.kind === "whole" ? undefined : target.box}
            onChoose={(slug, box) => setTarget({ kind: "object", slug, box })}
            onDraw={(box) => setTarget({ kind: "drawn", box })}
          />
        ) : (
          <p className="muted">This browser cannot show the file.</p>
        )}
        <p className="muted small-text image-hint" role="status">
          {objects.phase === "loading" && "Detecting objects…"}
          {objects.phase === "done" &&
            (objects.response.detectedObjects.length === 0
              ? "No objects detected. Draw a box around the object to search for."
              : "Select a box, or draw one around the object to search for.")}
        </p>
        {target.kind !== "whole" && (
          <button type="button" onClick={() => setTarget({ kind: "whole" })}>
            Search with the whole image
          </button>
        )}
        {/* An image that is refused is refused once, not twice. */}
        {objects.phase === "failed" && search.phase === "done" && (
          <ErrorNotice error={objects.error} onRetry={objects.retry} />
        )}
      </section>
      <section aria-labelledby="similar-title">
        <h2 id="similar-title">Similar products</h2>
        <DeveloperPanel requests={requestsFor(search.response?.slug)} />
        {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
        {search.phase === "loading" && !search.response && <ProductGridSkeleton count={4} />}
        {search.response?.Products.length === 0 && (
          <EmptyNotice title="No similar products found">
            <p>Select another part of the image.</p>
          </EmptyNotice>
        )}
        {search.response && search.response.Products.length > 0 && (
          <>
            <ProductGrid busy={search.phase === "loading"}>
              {search.response.Products.map((product) => (
                <ProductCard key={product._id} product={product} />
              ))}
            </ProductGrid>
            <p className="muted center">{endText(search.response.Products.length)}</p>
          </>
        )}
      </section>
    </div>
  );
}

/** As many as the service returns at most. */
const maxSimilar = 50;

function endText(count: number): string {
  if (count >= maxSimilar) return `The ${maxSimilar} most similar products.`;
  return `${count} ${count === 1 ? "product looks" : "products look"} similar. All others look different.`;
}

function requestsFor(slug = "img_…"): [RequestSnippet, ...RequestSnippet[]] {
  const send = { method: "POST", sendsImage: true, needsToken: true } as const;
  const file = 'await readFile("picture.jpg")';
  return [
    { ...send, title: "Step 1: upload the image", path: "/vectorize-image", call: `vectorizeImage(${file})` },
    {
      title: "Step 2: search for similar products",
      method: "GET",
      path: "/search",
      query: { imageId: slug },
      needsToken: true,
      call: `searchByImage(${JSON.stringify({ imageId: slug })})`,
    },
    { ...send, title: "Detect objects", path: "/detect-objects", call: `detectObjects(${file})` },
  ];
}
