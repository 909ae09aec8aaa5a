"""The experiments of "An empirical study on evaluation metrics of GANs" (Xu et al. 2018), run with truegrade.

classifier: a small digit classifier. images: the digits, or one's own, and what is made of them. cases: which sets
are graded against which. spaces: images to vectors. study: grades everything. verdicts: which metric passes what.
ladder: checkpoints of three generators. tables, figures, page, ladder_page: what is shown. command: the command line.
"""
