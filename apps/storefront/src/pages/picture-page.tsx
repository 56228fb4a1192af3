import { useEffect, useRef, useState } from "react";
import { ProductGrid } from "../parts/product-card.tsx";
import { shop, useRequest, useTitle } from "../shop.ts";

/** The service takes seven megabytes. */
const maxBytes = 7_000_000;

/** Finds products that look like a picture: a file, one that is dropped or pasted, or one from the camera. */
export function PicturePage() {
  const [picture, setPicture] = useState<Blob>();
  const [address, setAddress] = useState<string>();
  const [isFilming, setFilming] = useState(false);
  useTitle("Search by picture");
  useEffect(() => {
    if (picture === undefined) return;
    const url = URL.createObjectURL(picture);
    setAddress(url);
    return () => URL.revokeObjectURL(url);
  }, [picture]);
  const choose = (files: FileList | null) => setPicture((before) => files?.[0] ?? before);
  useEffect(() => {
    const paste = ({ clipboardData }: ClipboardEvent) =>
      setPicture((before) => clipboardData?.files[0] ?? before);
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, []);
  return (
    <>
      <h1>Search by picture</h1>
      <section
        aria-label="Picture"
        className="drop"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          choose(event.dataTransfer.files);
        }}
      >
        {address !== undefined && <img src={address} alt="What you search for" width="200" height="200" />}
        <p>
          <label className="buy">
            Choose a picture
            <input
              type="file"
              accept="image/*"
              className="hidden"
              onChange={({ target }) => choose(target.files)}
            />
          </label>{" "}
          <button type="button" onClick={() => setFilming(true)}>
            Use the camera
          </button>
        </p>
        <p>You can also drop a picture here, or paste one.</p>
      </section>
      {isFilming && (
        <Camera
          onPicture={(taken) => {
            setFilming(false);
            if (taken) setPicture(taken);
          }}
        />
      )}
      {picture !== undefined && address !== undefined && <Matches picture={picture} id={address} />}
    </>
  );
}

function Matches({ picture, id }: { picture: Blob; id: string }) {
  const isTooLarge = picture.size > maxBytes;
  const { result, error } = useRequest(isTooLarge ? undefined : id, (signal) =>
    shop.client.searchByImage(picture, { signal }),
  );
  if (isTooLarge) return <p role="alert">The picture is too large: at most 7 MB.</p>;
  if (error) return <p role="alert">{error.message.replace(/^\w+: /, "")}</p>;
  if (result === undefined) return <p aria-live="polite">Looking for similar products …</p>;
  const { Products, closest = [] } = result;
  return (
    <section aria-live="polite">
      <h2>{Products.length > 0 ? "Products like this" : "Nothing is really alike. The closest:"}</h2>
      <ProductGrid products={Products.length > 0 ? Products : closest} />
    </section>
  );
}

function Camera({ onPicture }: { onPicture: (picture: Blob | null) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    let stream: MediaStream | undefined;
    let hasLeft = false;
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    navigator.mediaDevices
      ?.getUserMedia({ video: { facingMode: "environment" } })
      .then((opened) => {
        stream = opened;
        if (hasLeft) return stop();
        if (video.current) video.current.srcObject = opened;
      })
      .catch(() => setError("The camera cannot be used. Allow it in the browser, or choose a picture."));
    if (!navigator.mediaDevices) setError("This page has no camera. Choose a picture instead.");
    return () => {
      hasLeft = true;
      stop();
    };
  }, []);
  const take = () => {
    const source = video.current;
    if (source === null || source.videoWidth === 0) return;
    const canvas = document.createElement("canvas");
    canvas.width = source.videoWidth;
    canvas.height = source.videoHeight;
    canvas.getContext("2d")?.drawImage(source, 0, 0);
    canvas.toBlob(onPicture, "image/jpeg", 0.9);
  };
  return (
    <section className="drop" aria-label="Camera">
      {error === "" ? <video ref={video} autoPlay playsInline muted /> : <p role="alert">{error}</p>}
      <p>
        <button type="button" className="buy" disabled={error !== ""} onClick={take}>
          Take the picture
        </button>{" "}
        <button type="button" onClick={() => onPicture(null)}>
          Close
        </button>
      </p>
    </section>
  );
}
