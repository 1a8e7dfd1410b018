// The list of sources: whoever waits for sources that nobody has looked at yet sees them when they are there.
import { ask } from "./common.js";

async function wait() {
  const { missing } = await ask("/api/missing");
  if (!missing) location.reload();
  else {
    document.querySelector("#missing b").textContent = missing;
    setTimeout(wait, 500);
  }
}
if (document.getElementById("missing")) wait();
