"""`sqlite3` on the phone: what the real shell prints, and a file that the real engine reads."""

import sqlite3
from pathlib import Path

DB = "/data/local/tmp/own.db"


def test_a_database_is_made_filled_and_read(sh, out, tmp_path: Path) -> None:
    out(f"sqlite3 {DB} \"CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x;y'), (2, NULL);\"")
    assert out(f"sqlite3 {DB} 'SELECT * FROM t'") == "1|x;y\n2|\n"
    local = tmp_path / "own.db"
    local.write_bytes(sh.phone.files.read(DB))
    db = sqlite3.connect(local)
    assert db.execute("SELECT b FROM t WHERE a = 1").fetchall() == [("x;y",)]
    db.close()


def test_forms_of_output(out) -> None:
    out(f"sqlite3 {DB} \"CREATE TABLE t (id, name); INSERT INTO t VALUES (1, 'a, b'), (2, 'c');\"")
    assert out(f"sqlite3 -header -csv {DB} 'SELECT * FROM t'") == 'id,name\n1,"a, b"\n2,c\n'
    assert out(f"sqlite3 -line {DB} 'SELECT * FROM t'") == "  id = 1\nname = a, b\n\n  id = 2\nname = c\n"
    assert out(f"sqlite3 -separator ' ~ ' {DB} 'SELECT * FROM t'") == "1 ~ a, b\n2 ~ c\n"
    assert out(f"sqlite3 {DB} .tables") == "t\n"
    assert out(f"sqlite3 {DB} .schema") == "CREATE TABLE t (id, name);\n"
    assert "INSERT INTO \"t\" VALUES(2,'c');" in out(f"sqlite3 {DB} .dump")


def test_statements_from_standard_input_over_several_lines(sh) -> None:
    result = sh(f"sqlite3 {DB}", stdin=b"CREATE TABLE t (a);\nINSERT INTO t\n VALUES (7);\n.tables\nSELECT a\nFROM t")
    assert (result.code, result.out, result.err) == (0, "t\n7\n", "")


def test_errors(sh) -> None:
    result = sh(f"sqlite3 {DB} 'SELEKT 1'")
    assert (result.code, result.err) == (1, 'Error: near "SELEKT": syntax error\n')
    assert not sh.phone.files.exists(DB)
    sh(f"echo words > {DB}")
    assert "not a database" in sh(f"sqlite3 {DB} 'SELECT * FROM t'").err
    assert sh("sqlite3 -wrong x").code == 1
    assert sh("sqlite3").code == 1
    assert sh(f"sqlite3 {DB} .wrong").code == 1
    denied = sh("sqlite3 /data/data/com.android.providers.telephony/databases/mmssms.db .tables")
    assert denied.code == 1
    assert "Permission denied" in denied.err
