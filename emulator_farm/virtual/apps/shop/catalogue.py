"""The goods: search, categories, order; and one product."""

from collections.abc import Callable, Hashable
from functools import partial

from emulator_farm.virtual.apps.shop.checkout import Cart, Orders
from emulator_farm.virtual.apps.shop.store import Product, money, shop_store
from emulator_farm.virtual.dialogs import choice
from emulator_farm.virtual.material import filled_button, icon_button, scrolling, search_box, top_bar
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, VIEW_GROUP, Column, Disc, Paint, Row, Scroll, Text, Widget, pad

CATEGORIES = ("All", "Kitchen", "Office", "Outdoor", "Toys", "Favorites")
ICONS = {"Kitchen": "store", "Office": "work", "Outdoor": "nature_people", "Toys": "cake"}
Key = Callable[[Product], float]
SORTS: tuple[tuple[str, Key | None], ...] = (
    ("Name", None),
    ("Price: low to high", lambda product: product.price),
    ("Price: high to low", lambda product: -product.price),
    ("Rating", lambda product: -product.rating),
)


class Catalogue(Screen):
    """Everything that is sold."""

    activity = ".MainActivity"
    query = ""
    category = "All"
    sort = 0

    def moment(self) -> Hashable:
        """The database may change behind the app's back."""
        return shop_store(self.system).stamp

    def on_back(self) -> bool:
        """Back ends a search first."""
        was, self.query = bool(self.query), ""
        self.view.blur()
        return was

    def build(self) -> Widget:
        """Bar, search, categories, goods."""
        count = sum(line.quantity for line in shop_store(self.system).cart())
        actions = (
            icon_button("sort", "Sort", self._ask_sort, "action_sort"),
            icon_button("inventory_2", "Orders", partial(self.open, Orders), "action_orders"),
            icon_button("shopping_cart", f"Cart, {count} items", partial(self.open, Cart), "action_cart"),
        )
        search = Column(w=FILL, pad=pad(16, 4), children=(search_box(self.query, self._type, "Search products"),))
        chips = Row(gap=8, pad=pad(16, 8), children=tuple(self._chip(each) for each in CATEGORIES))
        strip = Scroll(id="categories", view="HorizontalScrollView", axis="x", w=FILL, child=chips)
        rows: list[Widget] = [self._row(product) for product in self.products()]
        nothing = Text(id="empty", text="No products found", w=FILL, align="center", pad=pad(24, 64), color="outline")
        parts = (top_bar("Shop", actions=actions), search, strip, scrolling(rows or [nothing], "product_list"))
        return Column(w=FILL, h=FILL, children=parts)

    def products(self) -> list[Product]:
        """What is listed now, in order."""
        shop = shop_store(self.system)
        found = shop.products(self.query, self.category if self.category in ICONS else "")
        if self.category == "Favorites":
            found = [product for product in found if shop.is_favorite(product.id)]
        key = SORTS[self.sort][1]
        return sorted(found, key=key) if key else found

    def _chip(self, category: str) -> Widget:
        on = category == self.category
        face: Paint = "secondary_container" if on else "surface_high"
        return Text(
            id="chip", view="Button", text=category, size=14, bg=face, radius=16, min_h=36, pad=pad(16, 8), selected=on,
            on_tap=partial(self._choose, category),
        )  # fmt: skip

    def _row(self, product: Product) -> Widget:
        words = Column(
            grow=1, gap=2,
            children=(
                Text(id="product_name", text=product.name, size=17, max_lines=1),
                Text(id="product_rating", text=f"{product.rating:.1f} stars", size=13, color="on_surface_variant"),
            ),
        )  # fmt: skip
        price = Text(id="product_price", text=money(product.price), size=16, weight="medium")
        return Row(
            id="product_item", view=VIEW_GROUP, w=FILL, min_h=80, pad=pad(16, 8), gap=16,
            on_tap=lambda: self.open(ProductPage, product=str(product.id)),
            children=(Disc(color="primary", icon=ICONS.get(product.category, "store"), size=44), words, price),
        )  # fmt: skip

    def _type(self, query: str) -> None:
        self.query = query
        self.view.scroll.clear()

    def _choose(self, category: str) -> None:
        self.category = category
        self.view.scroll.pop("product_list", None)

    def _ask_sort(self) -> None:
        def choose(index: int) -> None:
            self.dismiss()
            self.sort = index

        self.show(choice("Sort by", [label for label, _ in SORTS], self.sort, choose, self.dismiss))


class ProductPage(Screen):
    """The product whose id is the extra `product`."""

    activity = ".ProductActivity"
    quantity = 1

    def moment(self) -> Hashable:
        """The database may change behind the app's back."""
        return shop_store(self.system).stamp

    def build(self) -> Widget:
        """Bar, facts, quantity, the button."""
        shop = shop_store(self.system)
        product = shop.product(int(self.intent.extras.get("product", "0")))
        if product is None:
            gone = Text(id="empty", text="This product is not sold any more", w=FILL, align="center", pad=pad(24, 96))
            return Column(w=FILL, h=FILL, children=(top_bar(up=self.close), gone))
        marked = shop.is_favorite(product.id)
        star = icon_button(
            "favorite", "Remove from favorites" if marked else "Add to favorites",
            partial(shop_store(self.system).mark, product.id, not marked), "action_favorite", filled=marked,
        )  # fmt: skip
        count = sum(line.quantity for line in shop.cart())
        cart = icon_button("shopping_cart", f"Cart, {count} items", partial(self.open, Cart), "action_cart")
        bar = top_bar(up=self.close, actions=(star, cart))
        return Column(w=FILL, h=FILL, children=(bar, scrolling(self._rows(product), "product_scroll")))

    def _rows(self, product: Product) -> list[Widget]:
        stock = f"{product.stock} in stock" if product.stock else "Sold out"
        face = Disc(color="primary", icon=ICONS.get(product.category, "store"), size=120)
        facts = (
            Text(id="product_name", text=product.name, size=26, w=FILL),
            Text(id="product_price", text=money(product.price), size=22, weight="medium", w=FILL),
            Text(id="product_rating", text=f"{product.rating:.1f} stars", size=15, w=FILL),
            Text(id="product_stock", text=stock, size=15, w=FILL),
            Text(id="product_description", text=product.description, size=17, w=FILL),
        )
        stepper = Row(
            gap=8,
            children=(
                icon_button("remove", "Less", partial(self._step, product, -1), "quantity_less"),
                Text(id="quantity", text=str(self.quantity), size=20, w=40, align="center"),
                icon_button("add", "More", partial(self._step, product, 1), "quantity_more"),
            ),
        )  # fmt: skip
        button = filled_button("Add to cart", partial(self._add, product), "add_to_cart", product.stock > 0, w=FILL)
        picture = Row(w=FILL, justify="center", children=(face,))
        content = (picture, *facts, stepper, button)
        return [Column(w=FILL, pad=pad(24, 8), gap=12, children=content)]

    def _step(self, product: Product, by: int) -> None:
        self.quantity = min(max(1, self.quantity + by), max(1, product.stock))

    def _add(self, product: Product) -> None:
        shop = shop_store(self.system)
        shop.put(product, shop.quantity(product.id) + self.quantity)
        self.quantity = 1
        self.system.toast("Added to cart")
