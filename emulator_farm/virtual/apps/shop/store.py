"""The shop's database, `shop.db` in its data folder: what is sold, what is in the cart, what was ordered.

Prices are whole cents.
"""

from dataclasses import dataclass

from emulator_farm.virtual.apps.dates import millis
from emulator_farm.virtual.providers import Table
from emulator_farm.virtual.stored_provider import StoredProvider
from emulator_farm.virtual.system import System

PACKAGE = "org.virtual.shop"
SCHEMA = """
CREATE TABLE products (
  _id INTEGER PRIMARY KEY, name TEXT NOT NULL, category TEXT NOT NULL, price INTEGER NOT NULL, rating REAL NOT NULL,
  stock INTEGER NOT NULL, description TEXT NOT NULL);
CREATE TABLE cart (_id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL UNIQUE, quantity INTEGER NOT NULL);
CREATE TABLE favorites (_id INTEGER PRIMARY KEY, product_id INTEGER NOT NULL UNIQUE);
CREATE TABLE orders (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, address TEXT NOT NULL, delivery TEXT NOT NULL,
  coupon TEXT NOT NULL DEFAULT '', total INTEGER NOT NULL, status TEXT NOT NULL DEFAULT 'placed',
  date INTEGER NOT NULL);
CREATE TABLE order_items (
  _id INTEGER PRIMARY KEY AUTOINCREMENT, order_id INTEGER NOT NULL, product_id INTEGER NOT NULL,
  quantity INTEGER NOT NULL, price INTEGER NOT NULL);
"""
TABLES = {name: Table(name) for name in ("products", "cart", "favorites", "orders", "order_items")}
PRODUCTS = (
    ("Enamel mug", "Kitchen", 1250, 4.6, 40, "Holds 350 ml. Dishwasher safe."),
    ("Cast iron pan", "Kitchen", 3990, 4.8, 12, "26 cm, weighs 2.4 kg."),
    ("Bread knife", "Kitchen", 2400, 4.4, 25, "Serrated blade, 22 cm."),
    ("Paring knife", "Kitchen", 950, 4.2, 60, "Blade of 9 cm."),
    ("Desk lamp", "Office", 4500, 4.1, 18, "Warm white, three steps of brightness."),
    ("Notebook, dotted", "Office", 780, 4.7, 150, "192 pages, A5."),
    ("Fountain pen", "Office", 3200, 4.5, 9, "Fine nib, blue ink included."),
    ("Paper clips", "Office", 190, 3.9, 400, "Box of 100."),
    ("Camping lantern", "Outdoor", 2890, 4.3, 21, "Runs 40 hours on one charge."),
    ("Wool blanket", "Outdoor", 5600, 4.9, 7, "140 by 200 cm."),
    ("Water bottle", "Outdoor", 1650, 4.0, 55, "Steel, 750 ml."),
    ("Tent, two persons", "Outdoor", 12900, 4.4, 0, "Weighs 2.9 kg, blue."),
    ("Wooden train", "Toys", 2150, 4.8, 14, "Engine and three cars."),
    ("Jigsaw puzzle", "Toys", 1490, 4.5, 33, "1,000 pieces, a harbour at dusk."),
)
"""Name, category, price, rating, stock, description."""
DELIVERIES = (("Standard, 3-5 days", 490), ("Express, next day", 1290), ("Pick up in store", 0))
COUPONS = {"SPRING10": 10, "WELCOME15": 15}
"""Per cent off the goods."""


@dataclass(frozen=True)
class Product:
    """Something that is sold."""

    id: int
    name: str
    category: str
    price: int
    rating: float
    stock: int
    description: str


@dataclass(frozen=True)
class Line:
    """A product and how many of it."""

    product: Product
    quantity: int

    @property
    def price(self) -> int:
        """Cents for all of them."""
        return self.product.price * self.quantity


@dataclass(frozen=True)
class Order:
    """What was ordered; `date` in milliseconds since 1970."""

    id: int
    name: str
    address: str
    delivery: str
    total: int
    status: str
    date: int


class ShopStore(StoredProvider):
    """The database and the calls that the app makes."""

    def __init__(self, system: System) -> None:
        super().__init__(system, PACKAGE, "shop.db", SCHEMA, TABLES, (PACKAGE,))

    # -- goods

    def products(self, words: str = "", category: str = "") -> list[Product]:
        """What is sold and matches, by name."""
        found = self._products("ORDER BY name COLLATE NOCASE")
        return [
            product
            for product in found
            if category in ("", product.category)
            and all(word in f"{product.name} {product.description}".lower() for word in words.lower().split())
        ]

    def product(self, product: int) -> Product | None:
        """One product, None where there is none."""
        return next(iter(self._products("WHERE _id = ?", product)), None)

    def _products(self, tail: str, *parameters: int) -> list[Product]:
        return [
            Product(int(str(row["_id"])), str(row["name"]), str(row["category"]), int(str(row["price"])),
                    float(str(row["rating"])), int(str(row["stock"])), str(row["description"]))
            for row in self.rows(f"SELECT * FROM products {tail}", parameters)
        ]  # fmt: skip

    def is_favorite(self, product: int) -> bool:
        """Whether a product is marked."""
        return bool(self.rows("SELECT 1 FROM favorites WHERE product_id = ?", (product,)))

    def mark(self, product: int, on: bool) -> None:
        """Mark a product, or not."""
        sql = "INSERT OR IGNORE INTO favorites (product_id) VALUES (?)"
        self.run(sql if on else "DELETE FROM favorites WHERE product_id = ?", (product,))

    # -- cart

    def cart(self) -> list[Line]:
        """What is in the cart, in the order it was put there."""
        rows = self.rows("SELECT product_id, quantity FROM cart ORDER BY _id")
        found = [(self.product(int(str(row["product_id"]))), int(str(row["quantity"]))) for row in rows]
        return [Line(product, quantity) for product, quantity in found if product is not None]

    def put(self, product: Product, quantity: int) -> None:
        """Have so many of a product in the cart, at most what is in stock; none removes it."""
        quantity = min(quantity, product.stock)
        if quantity <= 0:
            self.run("DELETE FROM cart WHERE product_id = ?", (product.id,))
        else:
            self.run(
                "INSERT INTO cart (product_id, quantity) VALUES (?1, ?2) "
                "ON CONFLICT (product_id) DO UPDATE SET quantity = ?2",
                (product.id, quantity),
            )

    def quantity(self, product: int) -> int:
        """How many of a product are in the cart."""
        return next((line.quantity for line in self.cart() if line.product.id == product), 0)

    # -- orders

    def order(self, name: str, address: str, delivery: str, coupon: str) -> int:
        """Order what is in the cart; the order's number."""
        lines = self.cart()
        with self.together():
            order = self.run(
                "INSERT INTO orders (name, address, delivery, coupon, total, date) VALUES (?, ?, ?, ?, ?, ?)",
                (name, address, delivery, coupon, total(lines, delivery, coupon), millis(self.system.now())),
            )
            for line in lines:
                self.run(
                    "INSERT INTO order_items (order_id, product_id, quantity, price) VALUES (?, ?, ?, ?)",
                    (order, line.product.id, line.quantity, line.product.price),
                )
                self.run("UPDATE products SET stock = stock - ? WHERE _id = ?", (line.quantity, line.product.id))
            self.run("DELETE FROM cart")
        return order

    def orders(self) -> list[Order]:
        """Orders, the latest first."""
        return [
            Order(int(str(row["_id"])), str(row["name"]), str(row["address"]), str(row["delivery"]),
                  int(str(row["total"])), str(row["status"]), int(str(row["date"])))
            for row in self.rows("SELECT * FROM orders ORDER BY _id DESC")
        ]  # fmt: skip

    def items(self, order: int) -> list[Line]:
        """What an order holds."""
        rows = self.rows("SELECT product_id, quantity FROM order_items WHERE order_id = ? ORDER BY _id", (order,))
        found = [(self.product(int(str(row["product_id"]))), int(str(row["quantity"]))) for row in rows]
        return [Line(product, quantity) for product, quantity in found if product is not None]

    def cancel(self, order: int) -> None:
        """Take an order back; the goods are in stock again."""
        with self.together():
            for line in self.items(order):
                self.run("UPDATE products SET stock = stock + ? WHERE _id = ?", (line.quantity, line.product.id))
            self.run("UPDATE orders SET status = 'cancelled' WHERE _id = ?", (order,))

    def ship(self) -> None:
        """Goods, an empty cart, no orders."""
        self.wipe()
        with self.together():
            for product in PRODUCTS:
                self.run(
                    "INSERT INTO products (name, category, price, rating, stock, description) "
                    "VALUES (?, ?, ?, ?, ?, ?)",
                    product,
                )
        self.release()


def total(lines: list[Line], delivery: str = "", coupon: str = "") -> int:
    """Cents for some goods with delivery and coupon."""
    goods = sum(line.price for line in lines)
    return goods - goods * COUPONS.get(coupon, 0) // 100 + dict(DELIVERIES).get(delivery, 0)


def money(cents: int) -> str:
    """`$12.50`."""
    return f"${cents // 100:,}.{cents % 100:02d}"


def shop_store(system: System) -> ShopStore:
    """The shop of a phone."""
    provider = system.providers.get(PACKAGE)
    assert isinstance(provider, ShopStore)
    return provider
