import { useCallback, useEffect, useState } from "react";
import { ImageResults } from "../parts/image/image-results.tsx";
import { ImageSource } from "../parts/image/image-source.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { openImage, type ProductImage } from "../service/image/images.ts";
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
  useEffect(() => () => URL.revokeObjectURL(image?.address ?? ""), [image]);

  return (
    <>
      <section className="hero">
        <h1>Search by image</h1>
        {token ? <ImageSource onImage={take} /> : <TokenNotice what="Search by image" />}
      </section>
      {problem !== undefined && <ErrorNotice error={problem} onRetry={() => setProblem(undefined)} />}
      {token && image && <ImageResults key={image.address} image={image} />}
    </>
  );
}
