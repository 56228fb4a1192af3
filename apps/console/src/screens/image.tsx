import { useCallback, useEffect, useState } from "react";
import { ErrorNotice } from "../parts/notice.tsx";
import { PictureResults } from "../parts/picture-results.tsx";
import { PictureSource } from "../parts/picture-source.tsx";
import { TokenNotice } from "../parts/token-notice.tsx";
import { openPicture, type Picture } from "../service/pictures.ts";
import { useService } from "../service/service-context.tsx";
import { usePageTitle } from "../service/use-page-title.ts";

/** Image search: give a picture; click an object or draw a box. */
export function ImageScreen() {
  const { token } = useService();
  const [picture, setPicture] = useState<Picture>();
  const [problem, setProblem] = useState<unknown>();
  usePageTitle("Image search");

  const take = useCallback(async (file: Blob) => {
    setProblem(undefined);
    try {
      setPicture(await openPicture(file));
    } catch (error) {
      setProblem(error);
    }
  }, []);
  useEffect(() => () => URL.revokeObjectURL(picture?.address ?? ""), [picture]);

  return (
    <>
      <section className="hero">
        <h1>Search by image</h1>
        {token ? <PictureSource onPicture={take} /> : <TokenNotice what="Search by image" />}
      </section>
      {problem !== undefined && <ErrorNotice error={problem} onRetry={() => setProblem(undefined)} />}
      {token && picture && <PictureResults key={picture.address} picture={picture} />}
    </>
  );
}
