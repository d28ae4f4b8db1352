// Light or dark: as the system says, until a person chooses. Runs before the page is drawn, so that nothing flashes.
(() => {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      return localStorage.getItem("mapo-theme");
    } catch {
      return null; // storage can be forbidden
    }
  };
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const first = chosen();
  if (first === "dark" || first === "light") root.dataset.theme = first;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const show = () => {
      button.setAttribute("aria-pressed", String(isDark()));
      button.title = isDark() ? "Use light colours" : "Use dark colours";
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem("mapo-theme", root.dataset.theme);
      } catch {
        // Then it holds for this page only.
      }
      show();
    });
    dark.addEventListener("change", show);
    show();
  });
})();
