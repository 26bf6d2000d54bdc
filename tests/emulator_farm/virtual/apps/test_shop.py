"""Shop by touch: goods, cart, orders, and the same rows in `shop.db`."""

import sqlite3
from pathlib import Path

APP = "org.virtual.shop"
DB = f"/data/data/{APP}/databases/shop.db"


def sql(thumb, statement: str) -> list[str]:
    return thumb.shell("sqlite3", DB, statement).splitlines()


def test_searching_filtering_sorting(thumb) -> None:
    thumb.open(APP)
    thumb.tap(id="search_src_text")
    thumb.type("knife")
    thumb.back()
    assert thumb.texts("product_name") == ["Bread knife", "Paring knife"]
    thumb.tap(desc="Sort")
    thumb.tap(text="Price: low to high")
    assert thumb.texts("product_price") == ["$9.50", "$24.00"]
    thumb.tap(desc="Clear query")
    thumb.tap(text="Outdoor")
    assert thumb.texts("product_name") == ["Water bottle", "Camping lantern", "Wool blanket", "Tent, two persons"]
    thumb.tap(text="Wool blanket")
    assert thumb.find(id="product_stock").text == "7 in stock"
    thumb.tap(desc="Add to favorites")
    thumb.back()
    thumb.tap(text="Toys")
    thumb.tap(desc="Sort")
    thumb.tap(text="Rating")
    assert thumb.texts("product_name") == ["Wooden train", "Jigsaw puzzle"]
    assert sql(thumb, "SELECT p.name FROM favorites f JOIN products p ON p._id = f.product_id") == ["Wool blanket"]


def test_the_cart(thumb) -> None:
    thumb.open(APP)
    thumb.tap(text="Enamel mug")
    thumb.tap(desc="More")
    thumb.tap(desc="More")
    assert thumb.find(id="quantity").text == "3"
    thumb.tap(text="Add to cart")
    assert sql(thumb, "SELECT product_id, quantity FROM cart") == ["1|3"]
    thumb.back()
    thumb.tap(text="Desk lamp")
    thumb.tap(text="Add to cart")
    thumb.tap(desc="Cart, 4 items")
    assert thumb.find(id="subtotal").text == "$82.50"
    thumb.tap(desc="Less Enamel mug")
    thumb.tap(desc="More Desk lamp")
    assert thumb.texts("item_quantity") == ["2", "2"]
    thumb.tap(desc="Remove Desk lamp")
    assert sql(thumb, "SELECT product_id, quantity FROM cart") == ["1|2"]
    thumb.shell("am", "force-stop", APP)
    thumb.open(APP)
    thumb.tap(desc="Cart, 2 items")
    thumb.tap(desc="Less Enamel mug")
    thumb.tap(desc="Less Enamel mug")
    assert thumb.sees(text="Your cart is empty")


def test_sold_out_and_no_more_than_there_is(thumb) -> None:
    sql(thumb, "UPDATE products SET stock = 2 WHERE name = 'Bread knife'")
    thumb.open(APP)
    thumb.tap(text="Bread knife")
    for _ in range(3):
        thumb.tap(desc="More")
    assert thumb.find(id="quantity").text == "2"
    thumb.tap(text="Add to cart")
    thumb.tap(text="Add to cart")
    assert sql(thumb, "SELECT quantity FROM cart") == ["2"]
    thumb.back()
    thumb.tap(text="Outdoor")
    thumb.tap(text="Tent, two persons")
    assert thumb.find(id="product_stock").text == "Sold out"
    assert thumb.find(id="add_to_cart").attributes["enabled"] == "false"


def test_ordering_and_cancelling(thumb, tmp_path: Path) -> None:
    sql(thumb, "INSERT INTO cart (product_id, quantity) VALUES (2, 1), (6, 5)")
    thumb.open(APP)
    thumb.tap(desc="Cart, 6 items")
    thumb.tap(text="Checkout")
    thumb.scroll_to("Place order")
    thumb.tap(text="Place order")
    assert thumb.sees(text="Please enter your name and address")
    thumb.tap(id="name")
    thumb.type("Rosa Lind")
    thumb.tap(id="address")
    thumb.type("4 Mill Lane, Ashby")
    thumb.back()
    thumb.tap(text="Express, next day ($12.90)")
    thumb.tap(id="coupon")
    thumb.type("spring99")
    thumb.back()
    thumb.tap(text="Apply")
    assert thumb.sees(text="This coupon is not valid")
    thumb.tap(text="spring99", id="coupon")
    for _ in range(2):
        thumb.shell("input", "keyevent", "DEL")
    thumb.type("10")
    thumb.back()
    thumb.tap(text="Apply")
    assert thumb.find(id="coupon_applied").text == "SPRING10: 10% off"
    assert thumb.find(id="total").text == "$83.91"
    thumb.tap(text="Place order")
    assert thumb.find(id="order_number").text == "Order number 1"
    local = tmp_path / "shop.db"
    thumb.wired("pull", DB, str(local))
    db = sqlite3.connect(local)
    order = db.execute("SELECT name, address, delivery, coupon, total, status FROM orders").fetchall()
    assert order == [("Rosa Lind", "4 Mill Lane, Ashby", "Express, next day", "SPRING10", 8391, "placed")]
    assert db.execute("SELECT product_id, quantity, price FROM order_items").fetchall() == [(2, 1, 3990), (6, 5, 780)]
    assert db.execute("SELECT stock FROM products WHERE _id IN (2, 6)").fetchall() == [(11,), (145,)]
    db.close()
    thumb.tap(text="Continue shopping")
    thumb.tap(desc="Orders")
    thumb.tap(text="Cancel")
    thumb.tap(text="Keep order")
    thumb.tap(text="Cancel")
    thumb.tap(text="Cancel order")
    assert sql(thumb, "SELECT status FROM orders") == ["cancelled"]
    assert sql(thumb, "SELECT stock FROM products WHERE _id IN (2, 6)") == ["12", "150"]
    assert not thumb.sees(text="Cancel")
    thumb.shell("pm", "clear", APP)
    assert sql(thumb, "SELECT count(*) FROM orders") == ["0"]
