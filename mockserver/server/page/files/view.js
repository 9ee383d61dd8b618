/** What views have in common: they are loaded again when they show another state than there is. */

export class View {
  /** @type {HTMLElement | null} */
  element = null;
  /** The state that is shown. */
  known = "";
  /** Whether a load is underway, and whether there is more to load after it. */
  isLoading = false;
  isStale = false;

  /** @param {any} event */
  update(event) {
    const known = this.stateOf(event);
    if (known === this.known) return;
    this.known = known;
    void this.refresh();
  }

  /** Load what there is, one load at a time however fast it changes: an answer that is late hides no later one. */
  async refresh() {
    this.isStale = true;
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      while (this.isStale && this.element?.isConnected) {
        this.isStale = false;
        await this.reload();
      }
    } finally {
      this.isLoading = false;
    }
  }

  /** What an event says of the state, as far as it is shown. @param {any} event */
  stateOf(event) {
    return `${event.generation} ${event.version}`;
  }

  async reload() {}

  /** @param {string} _key @returns {boolean} whether it meant something here */
  key(_key) {
    return false;
  }

  dispose() {}
}
