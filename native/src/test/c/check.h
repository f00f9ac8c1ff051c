/* A check that names what it wanted, and the groups of tests. */
#ifndef TF_CHECK_H
#define TF_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s: not true: %s\n", __FILE__, __LINE__, __func__, #condition);                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define RUN(test) (test(), printf("ok %s\n", #test))

void test_posts(void);
void test_objects(void);
void test_waits(void);

#endif
