# The files of the page as one file: each behind a line `NAME LENGTH`, with a line feed at its end.
# cmake -D OUTPUT=<file> -D FILES=<file>,<file> -P cmake/page.cmake

string(REPLACE "," ";" files "${FILES}")
list(SORT files)
file(WRITE ${OUTPUT} "")
foreach(file ${files})
  cmake_path(GET file FILENAME name)
  file(SIZE ${file} size)
  file(READ ${file} text)
  file(APPEND ${OUTPUT} "${name} ${size}\n${text}\n")
endforeach()
