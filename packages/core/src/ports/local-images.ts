/** Images that the service itself serves below `/images`. */
export interface LocalImages {
  /** The JPEG at a path such as `/images/sample/12-1.jpg`; undefined if there is none. */
  read(address: string): Promise<Uint8Array | undefined>;
  /** The image's vector by this model, if it was computed beforehand. */
  vectorOf?(address: string, model: string): Promise<Float32Array | undefined>;
}
