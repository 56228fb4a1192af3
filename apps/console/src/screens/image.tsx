import { useCallback, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { ImageResults } from "../parts/image/image-results.tsx";
import { ImageSource } from "../parts/image/image-source.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { CategoryTiles } from "../parts/search/category-tiles.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { openImage, type ProductImage, readImage } from "../service/image/images.ts";
import { productPath } from "../service/product/use-product.ts";
import { type CategorySample, useCategorySamples } from "../service/search/use-catalog.ts";
import { useService } from "../service/service-context.tsx";
import { usePageTitle } from "../service/use-page-title.ts";

/** Image search: give an image; click an object or draw a box. */
export function ImageScreen() {
  const { token } = useService();
  const [image, setImage] = useState<ProductImage>();
  const [problem, setProblem] = useState<unknown>();
  usePageTitle("Image search");

  const take = useCallback(async (file: Blob) => {
    setProblem(undefined);
    try {
      setImage(await openImage(file));
    } catch (error) {
      setProblem(error);
    }
  }, []);
  const categories = useCategorySamples(image === undefined);
  const [, navigate] = useLocation();
  const takeSample = async ({ product }: CategorySample) => {
    const [address] = product?.images ?? [];
    if (!product || address === undefined) return;
    const sample = await readImage(address);
    if (sample) await take(sample);
    else navigate(productPath(product));
  };
  useEffect(() => () => URL.revokeObjectURL(image?.address ?? ""), [image]);

  return (
    <>
      {/* A section of its own: a smaller one in its place, not one that shrinks. */}
      <section key={image ? "with image" : "empty"} className={image ? "hero compact" : "hero"}>
        <h1 className={image ? "visually-hidden" : undefined}>Search by image</h1>
        {token ? <ImageSource onImage={take} /> : <TokenNotice what="search by image" />}
      </section>
      {problem !== undefined && <ErrorNotice error={problem} onRetry={() => setProblem(undefined)} />}
      {token && !image && problem === undefined && (
        <CategoryTiles
          categories={categories}
          title="Or see what looks like one of these"
          isLarge
          onChoose={(sample) => void takeSample(sample)}
        />
      )}
      {token && image && <ImageResults key={image.address} image={image} />}
    </>
  );
}
