/** What views have in common: they are loaded again when they show another state than there is. */

export class View {
  /** The state that is shown. */
  known = "";

  /** @param {any} event */
  update(event) {
    const known = this.stateOf(event);
    if (known === this.known) return;
    this.known = known;
    void this.reload();
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
