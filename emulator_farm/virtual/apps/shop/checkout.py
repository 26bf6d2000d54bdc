"""From the cart to an order: quantities, coupon, where to, how fast; and the orders that were placed."""

from collections.abc import Hashable
from functools import partial

from emulator_farm.virtual.apps.dates import day_text
from emulator_farm.virtual.apps.shop.store import COUPONS, DELIVERIES, Line, Order, money, shop_store, total
from emulator_farm.virtual.dialogs import confirm
from emulator_farm.virtual.material import (
    divider,
    filled_button,
    icon_button,
    list_item,
    outlined_field,
    scrolling,
    text_button,
    top_bar,
)
from emulator_farm.virtual.screen import Screen
from emulator_farm.virtual.widgets import FILL, VIEW_GROUP, Column, Radio, Row, Text, Widget, pad


class Cart(Screen):
    """What will be ordered."""

    activity = ".CartActivity"

    def moment(self) -> Hashable:
        """The database may change behind the app's back."""
        return shop_store(self.system).stamp

    def build(self) -> Widget:
        """Lines, sum, the way on."""
        lines = shop_store(self.system).cart()
        bar = top_bar("Cart", up=self.close)
        if not lines:
            return Column(w=FILL, h=FILL, children=(bar, _nothing("Your cart is empty")))
        rows = [self._row(line) for line in lines]
        button = filled_button("Checkout", partial(self.open, Checkout), "checkout", w=FILL)
        subtotal = _sum_row("Subtotal", total(lines), "subtotal")
        foot = Column(w=FILL, pad=pad(24, 16), gap=12, children=(subtotal, button))
        return Column(w=FILL, h=FILL, children=(bar, scrolling(rows, "cart_list"), divider(), foot))

    def _row(self, line: Line) -> Widget:
        product = line.product
        put = partial(shop_store(self.system).put, product)
        words = Column(
            grow=1, gap=2,
            children=(
                Text(id="item_name", text=product.name, size=17, max_lines=1),
                Text(id="item_price", text=money(line.price), size=15, color="on_surface_variant"),
            ),
        )  # fmt: skip
        parts = (
            words,
            icon_button("remove", f"Less {product.name}", partial(put, line.quantity - 1), "item_less"),
            Text(id="item_quantity", text=str(line.quantity), size=17, w=28, align="center"),
            icon_button("add", f"More {product.name}", partial(put, line.quantity + 1), "item_more"),
            icon_button("delete", f"Remove {product.name}", partial(put, 0), "item_remove"),
        )
        return Row(view=VIEW_GROUP, w=FILL, min_h=72, pad=pad(16, 4), gap=4, children=parts)


class Checkout(Screen):
    """Name, address, delivery, coupon; nothing is paid here."""

    activity = ".CheckoutActivity"
    name = address = code = coupon = complaint = ""
    delivery = DELIVERIES[0][0]

    def build(self) -> Widget:
        """The form and the sum."""
        lines = shop_store(self.system).cart()
        focus = self.view.focus
        apply = text_button("Apply", self._apply, "apply_coupon", enabled=bool(self.code.strip()))
        code = outlined_field("coupon", "Coupon code", self.code, self._set_code, focus == "coupon", "done")
        options = [
            Radio(
                id="delivery_option", text=f"{label} ({money(price) if price else 'free'})", w=FILL,
                checked=label == self.delivery, on_tap=partial(self._choose, label),
            )
            for label, price in DELIVERIES
        ]  # fmt: skip
        parts: list[Widget] = [
            outlined_field("name", "Full name", self.name, self._set_name, focus == "name"),
            outlined_field("address", "Address", self.address, self._set_address, focus == "address"),
            Text(text="Delivery", size=14, weight="medium", color="primary"),
            *options,
            Row(w=FILL, gap=8, children=(Column(grow=1, children=(code,)), apply)),
        ]
        if self.coupon:
            text = f"{self.coupon}: {COUPONS[self.coupon]}% off"
            parts.append(Text(id="coupon_applied", text=text, size=15, color="primary"))
        if self.complaint:
            parts.append(Text(id="error", text=self.complaint, size=15, color="error"))
        parts.append(_sum_row("Total", total(lines, self.delivery, self.coupon), "total"))
        parts.append(filled_button("Place order", self._order, "place_order", bool(lines), w=FILL))
        form = Column(w=FILL, pad=pad(24, 8), gap=8, children=tuple(parts))
        bar = top_bar("Checkout", up=self.close)
        return Column(w=FILL, h=FILL, children=(bar, scrolling((form,), "checkout_form")))

    def _set_name(self, text: str) -> None:
        self.name = text

    def _set_address(self, text: str) -> None:
        self.address = text

    def _set_code(self, text: str) -> None:
        self.code = text

    def _choose(self, delivery: str) -> None:
        self.delivery = delivery

    def _apply(self) -> None:
        code = self.code.strip().upper()
        self.coupon = code if code in COUPONS else ""
        self.complaint = "" if self.coupon else "This coupon is not valid"

    def _order(self) -> None:
        if not self.name.strip() or not self.address.strip():
            self.complaint = "Please enter your name and address"
            return
        shop = shop_store(self.system)
        number = shop.order(self.name.strip(), self.address.strip(), self.delivery, self.coupon)
        self.open(Placed, order=str(number))
        self.system.tasks.finish(self)


class Placed(Screen):
    """Thanks, with the order's number."""

    activity = ".OrderPlacedActivity"

    def build(self) -> Widget:
        """Two lines and a button."""
        number = f"Order number {self.intent.extras['order']}"
        words = (
            Text(id="thanks", text="Thank you for your order", size=26, w=FILL, align="center"),
            Text(id="order_number", text=number, size=17, w=FILL, align="center"),
            filled_button("Continue shopping", self._leave, "continue_shopping", w=FILL),
        )
        return Column(w=FILL, h=FILL, gap=24, pad=pad(24, 160), children=words)

    def _leave(self) -> None:
        for screen in [each for each in self.system.tasks.front.screens[1:] if each is not self]:
            self.system.tasks.finish(screen)
        self.close()


class Orders(Screen):
    """What was ordered; a placed order can be cancelled."""

    activity = ".OrdersActivity"

    def moment(self) -> Hashable:
        """The database may change behind the app's back."""
        return shop_store(self.system).stamp

    def build(self) -> Widget:
        """The list."""
        orders = shop_store(self.system).orders()
        rows: list[Widget] = [self._row(order) for order in orders]
        body = scrolling(rows or [_nothing("No orders yet")], "orders")
        return Column(w=FILL, h=FILL, children=(top_bar("Orders", up=self.close), body))

    def _row(self, order: Order) -> Widget:
        names = ", ".join(f"{line.quantity} × {line.product.name}" for line in shop_store(self.system).items(order.id))
        state = f"{money(order.total)} • {day_text(self.system, order.date)} • {order.status}"
        cancel = text_button("Cancel", partial(self._ask, order), "cancel_order") if order.status == "placed" else None
        return list_item(
            f"Order {order.id}", f"{names}\n{order.delivery}\n{state}", trailing=cancel, title_id="order_title",
            summary_id="order_detail",
        )  # fmt: skip

    def _ask(self, order: Order) -> None:
        text = f"Order {order.id} will be cancelled."
        self.show(
            confirm(text, "Cancel order", partial(self._cancel, order), self.dismiss, "Cancel order?", "Keep order")
        )

    def _cancel(self, order: Order) -> None:
        self.dismiss()
        shop_store(self.system).cancel(order.id)


def _sum_row(label: str, cents: int, name: str) -> Widget:
    words = Text(text=label, size=17, grow=1)
    return Row(w=FILL, children=(words, Text(id=name, text=money(cents), size=20, weight="medium")))


def _nothing(text: str) -> Widget:
    return Text(id="empty", text=text, w=FILL, align="center", pad=pad(24, 96), color="outline")
