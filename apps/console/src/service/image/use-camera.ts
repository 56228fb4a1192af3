import { type RefObject, useEffect, useState } from "react";

type CameraState = { phase: "starting" } | { phase: "on" } | { phase: "failed"; why: string };

/** Shows the camera in the video element while the caller is there, and lets go of it afterwards. */
export function useCamera(video: RefObject<HTMLVideoElement | null>): CameraState {
  const [state, setState] = useState<CameraState>({ phase: "starting" });
  useEffect(() => {
    let stream: MediaStream | undefined;
    let left = false;
    const stop = () => {
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
    const start = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      if (left || !video.current) return stop();
      video.current.srcObject = stream;
      await video.current.play();
      if (!left) setState({ phase: "on" });
    };
    start().catch((error: unknown) => {
      if (!left) setState({ phase: "failed", why: reasonOf(error) });
    });
    return () => {
      left = true;
      stop();
    };
  }, [video]);
  return state;
}

/** Browsers offer the camera to pages from this machine or over TLS only. */
export function hasCameraAccess(): boolean {
  return navigator.mediaDevices !== undefined;
}

function reasonOf(error: unknown): string {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError")
    return "The camera is blocked for this page. Allow it in the browser and try again.";
  if (name === "NotFoundError" || name === "OverconstrainedError")
    return "No camera was found on this device.";
  return "The camera could not be started. Another program may be using it.";
}
