#include "ledger/causes/telling_line.h"

#include <gtest/gtest.h>

#include <string>

namespace windlass::ledger {
namespace {

TEST(TellingLine, IsUsuallyTheLast) {
  EXPECT_EQ(telling_line(""), "");
  EXPECT_EQ(telling_line("\n \n\t\r\n---\n"), "");
  EXPECT_EQ(telling_line("one"), "one");
  EXPECT_EQ(telling_line("one\ntwo\n"), "two");
  EXPECT_EQ(telling_line("one\r\n  two \r\n\r\n====\n}\n"), "two");
}

TEST(TellingLine, LinesThatOnlySayThatAProcessEndedArePassedOver) {
  EXPECT_EQ(telling_line("record 7 is no JSON\nexit status 2\n"), "record 7 is no JSON");
  EXPECT_EQ(telling_line("no rule for x\nmake: *** [Makefile:2: all] Error 1\n"), "no rule for x");
  EXPECT_EQ(telling_line("double free or corruption (out)\nAborted (core dumped)\n"),
            "double free or corruption (out)");
  EXPECT_EQ(telling_line("Aborted\n"), "Aborted") << "there is nothing else";
  EXPECT_EQ(telling_line("x\nTerminated: bad input\n"), "Terminated: bad input");
}

TEST(TellingLine, OfAPythonTracebackIsTheException) {
  const std::string traceback =
      "reading\nTraceback (most recent call last):\n"
      "  File \"/app/x.py\", line 3, in <module>\n    main()\n"
      "  File \"/app/x.py\", line 2, in main\n    raise ValueError(\"record 7 is no JSON\")\n"
      "    ~~~~^^^^\n"
      "ValueError: record 7 is no JSON\n";
  EXPECT_EQ(telling_line(traceback), "ValueError: record 7 is no JSON");
  EXPECT_EQ(telling_line(traceback + "closing the connection\n"),
            "ValueError: record 7 is no JSON");
  EXPECT_EQ(telling_line(traceback +
                         "\nDuring handling of the above exception, another exception occurred:\n"
                         "\nTraceback (most recent call last):\n  File \"y.py\", line 1, in f\n"
                         "    g()\nKeyError: 'name'\n"),
            "KeyError: 'name'");
  EXPECT_EQ(telling_line("  File \"y.py\", line 1, in f\n    g()\n"), "g()") << "cut in the middle";
}

TEST(TellingLine, AProgramThatWentOnDidNotEndBecauseOfAnOldReport) {
  std::string log =
      "Traceback (most recent call last):\n  File \"x.py\", line 3, in f\n    g()\n"
      "ValueError: old\n";
  for (int i = 0; i < 11; ++i) {
    log += "working\n";
  }
  EXPECT_EQ(telling_line(log + "disk is full\n"), "disk is full");
}

TEST(TellingLine, OfAStackTraceIsItsLastCause) {
  EXPECT_EQ(telling_line("start\nException in thread \"main\" java.lang.RuntimeException: failed\n"
                         "\tat com.example.Main.run(Main.java:12)\n"
                         "\tat com.example.Main.main(Main.java:5)\n"
                         "Caused by: java.io.IOException: no space left\n"
                         "\tat com.example.Disk.write(Disk.java:7)\n\t... 1 more\n"),
            "Caused by: java.io.IOException: no space left");
  EXPECT_EQ(telling_line("/app/x.js:3\n  throw new Error('bad');\n  ^\n\nError: bad\n"
                         "    at f (/app/x.js:3:9)\n    at Object.<anonymous> (/app/x.js:5:1) {\n"
                         "  code: 'E_BAD'\n}\n\nNode.js v18.19.0\n"),
            "Error: bad");
  EXPECT_EQ(telling_line("Unhandled exception. System.Exception: bad\n   at Main() in /x.cs:2\n"),
            "Unhandled exception. System.Exception: bad");
}

TEST(TellingLine, OfAPanicIsItsMessage) {
  std::string go = "panic: runtime error: index out of range [7] with length 3\n\n";
  for (int i = 1; i < 20; ++i) {
    go += "goroutine " + std::to_string(i) + " [running]:\nmain.main()\n\t/app/main.go:5 +0x18\n\n";
  }
  EXPECT_EQ(telling_line("start\n" + go + "exit status 2\n"),
            "panic: runtime error: index out of range [7] with length 3");
  EXPECT_EQ(telling_line("fatal error: all goroutines are asleep - deadlock!\n\n"
                         "goroutine 1 [chan receive]:\nmain.main()\n"),
            "fatal error: all goroutines are asleep - deadlock!");
  const std::string rust =
      "thread 'main' panicked at src/main.rs:2:5:\nno such record\n"
      "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
  EXPECT_EQ(telling_line(rust), "no such record");
  EXPECT_EQ(telling_line("thread 'main' panicked at src/main.rs:2:5:\nno such record\n"
                         "stack backtrace:\n   0: rust_begin_unwind\n"
                         "             at /rustc/library/std/src/panicking.rs:584:5\n"),
            "no such record");
  EXPECT_EQ(telling_line("thread 'main' panicked at 'no such record', src/main.rs:2:5\n"
                         "note: run with `RUST_BACKTRACE=1` environment variable to display\n"),
            "thread 'main' panicked at 'no such record', src/main.rs:2:5");
}

TEST(TellingLine, OfCAndCPlusPlus) {
  EXPECT_EQ(telling_line("x: x.c:3: main: Assertion `n > 0' failed.\nAborted (core dumped)\n"),
            "x: x.c:3: main: Assertion `n > 0' failed.");
  EXPECT_EQ(telling_line("terminate called after throwing an instance of 'std::runtime_error'\n"
                         "  what():  no such record\nAborted\n"),
            "what():  no such record");
  EXPECT_EQ(telling_line("F1118 20:01:02.123456    7 x.cc:3] Check failed: a == b (1 vs. 2)\n"
                         "*** Check failure stack trace: ***\n    @     0x55d  main\n"),
            "F1118 20:01:02.123456    7 x.cc:3] Check failed: a == b (1 vs. 2)");
  std::string sanitizer =
      "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x602\n"
      "    #0 0x55 in main x.c:3\n"
      "SUMMARY: AddressSanitizer: heap-use-after-free x.c:3 in main\n"
      "Shadow bytes around the buggy address:\n";
  for (int i = 0; i < 20; ++i) {
    sanitizer += "  0x0c047fff7fb0: 00 00 00 00\n";
  }
  EXPECT_EQ(telling_line(sanitizer + "Shadow byte legend:\n  Addressable: 00\n==1==ABORTING\n"),
            "SUMMARY: AddressSanitizer: heap-use-after-free x.c:3 in main");
  EXPECT_EQ(telling_line("working\nSegmentation fault (core dumped)\n"),
            "Segmentation fault (core dumped)");
}

TEST(TellingLine, ReadsNoMoreThanTheEnd) {
  std::string log = "Traceback (most recent call last):\n  File \"x.py\", line 3, in f\nE: far\n";
  for (size_t i = 0; i < kMaxLinesRead; ++i) {
    log += "   frame\n";
  }
  EXPECT_EQ(telling_line(log), "frame");
  const std::string megabytes(5'000'000, 'x');
  EXPECT_EQ(telling_line("first\n" + megabytes), megabytes);
  EXPECT_EQ(telling_line(std::string(1'000'000, '\n')), "");
}

}  // namespace
}  // namespace windlass::ledger
