import { type DragEvent, useEffect, useRef, useState } from "react";
import { hasCameraAccess } from "../../service/image/use-camera.ts";
import { Icon } from "../icon.tsx";
import { CameraDialog } from "./camera-dialog.tsx";

/** Drop, paste, choose or take an image. */
export function ImageSource({ onImage }: { onImage: (image: Blob) => void }) {
  const [over, setOver] = useState(false);
  const [taking, setTaking] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const camera = useRef<HTMLInputElement>(null);
  usePastedImage(onImage);
  const choose = (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (file) onImage(file);
    // So that the same file can be chosen again.
    input.value = "";
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer.files[0];
    if (file) onImage(file);
  };
  // A phone's own camera is better than a view in this page.
  const takesHere = hasCameraAccess() && !matchMedia("(pointer: coarse)").matches;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the buttons inside do the same by keyboard.
    <div
      className={over ? "drop-zone over" : "drop-zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>Drop an image here, paste one, or</p>
      <div className="row center">
        <button type="button" className="primary" onClick={() => chooser.current?.click()}>
          <Icon name="upload" /> Choose an image
        </button>
        <button type="button" onClick={() => (takesHere ? setTaking(true) : camera.current?.click())}>
          <Icon name="camera" /> Take a photo
        </button>
      </div>
      <p className="hint">JPEG, PNG, WebP, AVIF or GIF. Large images are scaled down before they are sent.</p>
      <input
        ref={chooser}
        type="file"
        hidden
        accept="image/*"
        aria-label="Image file"
        onChange={(event) => choose(event.currentTarget)}
      />
      <input
        ref={camera}
        type="file"
        hidden
        accept="image/*"
        capture="environment"
        aria-label="Camera"
        onChange={(event) => choose(event.currentTarget)}
      />
      {taking && <CameraDialog onImage={onImage} onClose={() => setTaking(false)} />}
    </div>
  );
}

function usePastedImage(onImage: (image: Blob) => void): void {
  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => {
      const file = [...(event.clipboardData?.files ?? [])].find(({ type }) => type.startsWith("image/"));
      if (file) onImage(file);
    };
    addEventListener("paste", onPaste);
    return () => removeEventListener("paste", onPaste);
  }, [onImage]);
}
