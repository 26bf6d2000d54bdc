"""Words that parameters are generated from."""

_FIRST = (
    "Ada Amir Anna Aiko Ben Bruno Carla Chen Clara David Dina Elena Emma Eric Fatima Felix Gina Grace Hana Hugo Ines "
    "Ivan Jana John Julia Kamal Karin Laura Leon Lina Luca Maria Mateo Mia Nadia Noah Olga Omar Paula Peter Priya Ravi "
    "Rosa Samir Sofia Tara Thomas Vera Yusuf Zoe"
)
_LAST = (
    "Adams Ahmed Bauer Bianchi Brown Castro Cohen Costa Diaz Dubois Evans Fischer Fontaine Garcia Gruber Haddad Hansen "
    "Ito Ivanov Jansen Johnson Kaya Khan Kim Kowalski Larsen Lopez Marino Meyer Moreau Nguyen Novak Okafor Olsen Patel "
    "Petrov Quinn Ramos Rossi Santos Sato Schmidt Silva Singh Tanaka Torres Vargas Weber Wong Young"
)
_WORDS = (
    "apple bridge candle desk engine forest garden hammer island jacket kettle ladder market needle orange pencil "
    "quarry river saddle table umbrella valley window yellow anchor basket carpet dragon elbow feather"
)

FIRST_NAMES = tuple(_FIRST.split())
LAST_NAMES = tuple(_LAST.split())
WORDS = tuple(_WORDS.split())
