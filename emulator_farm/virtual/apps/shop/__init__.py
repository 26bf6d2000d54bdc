"""Shop, an app of our own: goods, a cart and orders in `databases/shop.db`. Nothing is paid."""

from emulator_farm.virtual.apps.shop.catalogue import Catalogue
from emulator_farm.virtual.apps.shop.store import PACKAGE, ShopStore, shop_store
from emulator_farm.virtual.screen import App, Entry
from emulator_farm.virtual.system import System


def _ship(system: System) -> None:
    shop_store(system).ship()


APP = App(
    package=PACKAGE,
    label="Shop",
    icon="shopping_cart",
    color=(194, 24, 91),
    version="1.0",
    apk="/product/app/Shop/Shop.apk",
    provision=_ship,
    providers=(ShopStore,),
    entries=(Entry(".MainActivity", Catalogue, launcher=True),),
)
