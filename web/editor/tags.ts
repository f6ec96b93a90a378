/** Suggestions for the last tag of a list with commas; browsers suggest whole values only. */
export function suggestTags(): void {
  const field = document.querySelector<HTMLInputElement>('#tags');
  const list = document.querySelector('#tags-suggestions');
  if (field === null || list === null) return;
  const tags = [...list.querySelectorAll('option')].map(({ value }) => value);
  const follow = (): void => {
    const given = field.value.split(',').map((tag) => tag.trim());
    const before = given.slice(0, -1);
    list.replaceChildren(
      ...tags
        .filter((tag) => !before.includes(tag))
        .map((tag) => {
          const option = document.createElement('option');
          option.value = [...before, tag].join(', ');
          option.label = tag;
          return option;
        }),
    );
  };
  field.addEventListener('input', follow);
  follow();
}
